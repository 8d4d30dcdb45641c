"""The text side of Tez: what the model reads, what a request means, and what a person is told."""
