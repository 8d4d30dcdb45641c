"""The exit codes of `tez`."""

ANSWERED = 0
BUG = 1
USAGE = 2
QUESTION = 3
DATA = 4
PLAN = 5
MODEL = 6
SETTINGS = 7
INTERRUPTED = 130

MEANINGS = {
    ANSWERED: "answered",
    BUG: "a fault of Tez itself",
    USAGE: "the command line is wrong",
    QUESTION: "the answer is a question",
    DATA: "the data cannot be opened, read or written",
    PLAN: "the plan cannot run",
    MODEL: "the model cannot be loaded or did not finish",
    SETTINGS: "the settings, the contracts or the domain are wrong",
    INTERRUPTED: "interrupted with Ctrl-C",
}
