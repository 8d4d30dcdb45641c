"""Public question sets: WikiSQL, Spider, WikiTableQuestions and TabFact, read from a folder that the user gives."""
