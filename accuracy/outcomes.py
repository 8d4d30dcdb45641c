"""What can become of a request, from the best to the worst."""

from typing import Final

RIGHT: Final = "right"
RIGHT_ROWS: Final = "right_rows"
ASKED: Final = "asked"
WRONG: Final = "wrong"
INVALID: Final = "invalid"
CRASHED: Final = "crashed"

MEANINGS: Final = {
    RIGHT: "the table that the user should get; or the question that he should be asked, with the options due",
    RIGHT_ROWS: "the wanted columns with the right rows, beside others or in another order",
    ASKED: "a question where the request was clear",
    WRONG: "another table, or another question, or a table where a question was due",
    INVALID: "an answer that is none, or a plan that cannot run",
    CRASHED: "no answer: the model, the database or Tez itself failed",
}
OUTCOMES: Final = tuple(MEANINGS)


def rank(outcome: str) -> int:
    """Return the place of an outcome in the order, 0 for the best; ValueError for none of them."""
    return OUTCOMES.index(outcome)
