"""Names that are the same name."""

from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

from grammar.names import APOSTROPHES, BLANKS, same_name, same_names

near = st.text(
    st.sampled_from([*APOSTROPHES, *BLANKS, "'", "İ", "i", "\u0307", "\u0301", "e", "Σ", "ß", "\x00"]), max_size=6
)


@given(st.lists(texts | near, max_size=8))
def test_many_texts_get_the_form_that_each_gets_alone(given_texts: list[str]) -> None:
    assert same_names(given_texts) == [same_name(text) for text in given_texts]
