"""Other readings of a request at the terminal: each shows its result at the press of one key."""

from dataclasses import replace

from prompt.words import Language, screen_text

from . import terminal
from .answered import Answered
from .deliver import Delivery, Wanted
from .session import Workspace, run
from .show import hand_over, other_readings, say_other_readings


def offer_readings(
    workspace: Workspace, answered: Answered, wanted: Wanted, language: Language, most_rows: int
) -> bool:
    """Ask for the number of a reading and show its result, as often as the person wants; return whether one was shown.

    The files that the user wants are written of the first result that there is. Raises what `session.run` raises.
    """
    shown = False
    while others := other_readings(answered):
        hint = screen_text("reading_key", language, keys=list(others))
        pressed = terminal.key(hint, [str(number) for number in others])
        if pressed is None:
            break
        answer = others[int(pressed)].answer
        files = wanted if answered.result is None else Wanted()
        result = run(workspace, [], answer, max_rows=most_rows, keep_steps=files.out is not None)
        answered, shown = replace(answered, answer=answer, result=result), True
        hand_over(Delivery(workspace, result, answer, language, answered.request), files, None)
        say_other_readings(workspace, answered, language)
    return shown
