"""Word intrusion: five words of a topic and one that is not of it (Chang et al. 2009)."""

from tealeaves.human.intruders import Intruders, Rules
from tealeaves.human.item_sets import Item
from tealeaves.human.lots import Lots
from tealeaves.human.request import Request, Stream, item
from tealeaves.model import TopicModel


def streams(
    request: Request,
    *,
    n_words: int = 5,
    outside: int = 50,
    within: int = 10,
    stemmer: str | None = "english",
    df_factor: float = 2.0,
) -> dict[str, Stream]:
    """The ``n_words`` first words of each topic and an intruder, which is the key; see `intruders.Rules`."""
    rules = Rules(outside, within, stemmer, df_factor)

    def maker(name: str, model: TopicModel):  # type: ignore[no-untyped-def]
        intruders = Intruders(model, rules, request.corpus_of(model))
        tops = model.top_words(n_words)

        def one(topic: int, lots: Lots) -> Item | str:
            shown = tops[topic]
            if len(shown) < n_words:
                return f"{n_words} words are to be shown, but the topic has {len(shown)}"
            drawn = intruders.draw(topic, shown, lots.of("intruder"))
            if isinstance(drawn, str):
                return drawn
            options = lots.of("options").order([*shown, drawn.word])
            return item(
                request.task, name, topic, options=tuple(options), key=drawn.word, hidden=drawn.hidden()
            )

        return one

    return request.per_topic(request.static(), maker)
