"""``tealeaves read``: documents as a person reads them, with the topic of every word."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tealeaves.commands._common import (
    FILE,
    check_exists,
    corpus_options,
    note,
    print_json,
    print_rich,
    read_corpus,
    read_models,
    read_words,
    seed_option,
    subcommand,
)
from tealeaves.errors import InputError

if TYPE_CHECKING:
    from tealeaves.reading import Reading

COLOURS = ("blue", "yellow", "magenta", "red", "green", "cyan")  # as terminals have them
SHOWN = 20  # changes of topic


@subcommand(
    """
    tealeaves read topic-state.gz --corpus docs.jsonl.gz
    tealeaves read lda-20 --corpus news --document 1999-07 --document 1999-08 --out read.html
    tealeaves read lda-20 --corpus news --assign map --switches
    """
)
@click.argument("model", type=FILE)
@click.option("--corpus", metavar="PATH", type=FILE, help="The documents. [those that the model carries]")
@click.option(
    "--document",
    "-d",
    metavar="ID",
    multiple=True,
    help="A document to show, by its id; by its number from 0 where they have none. "
    "[the least and the most consistent]",
)
@click.option("--switches", "show_switches", is_flag=True, help="Say which topics words change between most.")
@click.option(
    "--assign",
    type=click.Choice(["model", "map", "gibbs"]),
    help="Where the topics of words come from. [the model's own, or map where it has none]",
)
@click.option(
    "--words",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Of a longer document, show so many words where topics change most.",
)
@click.option("--whole", is_flag=True, help="Show documents whole, however long.")
@click.option("--out", metavar="FILE", type=FILE, help="Write a page of HTML there.")
@click.option("--vocabulary", metavar="PATH", type=FILE, help="Words of a model that is a bare matrix.")
@click.option("--trust", is_flag=True, help="Open files that can run code (pickles).")
@corpus_options
@seed_option
def command(
    model: Path,
    corpus: Path | None,
    document: tuple[str, ...],
    show_switches: bool,
    assign: str | None,
    words: int,
    whole: bool,
    out: Path | None,
    vocabulary: Path | None,
    trust: bool,
    reading: Mapping[str, Any],
    seed: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show documents under MODEL: their text, with the topic of every word.

    Without --document these are the least and then the most consistent ones. A number in brackets is the
    topic, wherever it changes; --out writes the same as a page with the topics that each word could have.
    """
    for path in (model, corpus, vocabulary):
        check_exists(path)
    given = None if vocabulary is None else read_words(vocabulary)
    ((_, read),) = read_models([model], trust=trust, vocabulary=given).items()
    documents = None if corpus is None else read_corpus(corpus, reading)
    if assign is None:
        assign = "model" if getattr(read, "assignments", None) is not None else "map"
        if assign == "map":
            note("the model has no topics of tokens: they are inferred with its topics fixed (map)", quiet)
    own = getattr(read, "corpus", None) if assign == "model" else None
    if own is not None and documents is not None and len(own) != len(documents):
        raise InputError(
            f"{corpus} holds {len(documents):,} documents, but {model} has topics of words for {len(own):,} "
            "of its own: name the documents it is of, or infer topics of others with --assign map"
        )
    from tealeaves.reading import read_documents
    from tealeaves.terminal import progress

    with progress("Reading", quiet=quiet):
        found = read_documents(
            read, documents, document or None, assign=assign, passage=None if whole else words,
            ci=0.95 if show_switches or out is not None else None, seed=seed,
        )  # fmt: skip
    if not found.pages:
        note("no document has two neighbouring words with a topic", quiet)
    for why in dict.fromkeys(page["why"] for page in found.pages if page["why"]):
        note(f"words alone are shown, not the text: {why}", quiet)
    if out is not None:
        found.report(out)
        note(f"page written to {out}", quiet)
    if as_json:
        most = [one._asdict() for one in found.switches.most(SHOWN)] if show_switches else None
        numbers = dict(found.numbers)
        print_json({**numbers, "documents": found.pages, **({"switches": most} if show_switches else {})})
    elif out is None or not quiet:
        if out is None:
            print_rich(*_pages(found))
        print_rich(*_numbers(found), *([_most(found)] if show_switches else []))


def _pages(found: "Reading") -> list[Any]:
    """The documents, their words in the colours of their topics."""
    from rich.text import Text

    from tealeaves.report.documents import reading_section
    from tealeaves.verdicts import number, visible

    shown = []
    for page in reading_section(found)["models"][0]["pages"]:
        facts = [visible(page["label"])] if page["label"] else []
        facts += [f"{page['words']} words with a topic", f"consistency {number(page['consistency'])}"]
        if page["end"] != "chosen":
            facts.append(f"among the {page['end']} consistent")
        if page["total"] > page["shown"]:
            facts.append(f"words {page['first'] + 1} to {page['first'] + page['shown']} of {page['total']}")
        head = Text(f"{visible(page['id'])}", style="bold").append(
            f"  {', '.join(facts)}", style="not bold dim"
        )
        body = Text()
        for piece in page["pieces"]:
            if piece["kind"] == "word":
                style = COLOURS[piece["colour"] - 1] if piece["colour"] else ""
                if piece["new"]:
                    body.append(f"[{piece['topic']}]", style=f"bold {style}".strip())
                body.append(visible(piece["text"]), style=f"{style} underline".strip())
            else:
                body.append(visible(piece["text"]), style="dim")
        legend = Text()
        for one in page["legend"]:
            legend.append(f"[{one['topic']}]", style=f"bold {COLOURS[one['colour'] - 1]}")
            legend.append(f" {one['words']} {one['share']:.0%}   ")
        if page["others"]["n"]:
            legend.append(f"{page['others']['n']} others {page['others']['share']:.0%}", style="dim")
        shown += [head, body, legend, Text()]
    return shown


def _numbers(found: "Reading") -> list[Any]:
    """Consistency of all documents beside what chance gives."""
    from rich.text import Text

    from tealeaves.verdicts import number

    value = found.numbers["consistency"]
    if value is None:
        return []
    beside = f"by chance {number(found.numbers['chance'])}, shuffled {number(found.numbers['shuffled'])}"
    said = f"consistency {number(value)} ({beside}), switch_p {number(1 - value)}, "
    return [Text(f"{said}{found.numbers['n_topics']} topics")]


def _most(found: "Reading") -> Any:
    """The most frequent changes of topic."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tealeaves.verdicts import number, visible

    table = Table(box=box.SIMPLE_HEAD, title=Text("Changes of topic", style="bold"), title_justify="left")
    for heading in ("from", "to"):
        table.add_column(heading, overflow="fold")
    for heading in ("times", "share of its changes", "against chance"):
        table.add_column(heading, justify="right")

    def named(k: int) -> Text:
        return Text(f"{k} {visible(' '.join(found.topics[k][:3]))}")

    for one in found.switches.most(SHOWN):
        share = f"{one.share:.1%}"
        if one.low is not None and one.high is not None and one.low == one.low:
            share += f" [{one.low:.1%}, {one.high:.1%}]"
        cells = (f"{one.times:,}", share, f"{number(one.lift, 1)}×")
        table.add_row(named(one.before), named(one.after), *map(Text, cells))
    table.caption = Text("against chance: 1 is as often as a change from anywhere leads there", style="dim")
    return table
