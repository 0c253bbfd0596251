"""The pages raters see: questions made from items, answers read from forms, and every page around them.

Routes call these and know nothing of HTML::

    text = pages.wording("en", {"document": "story"})  # the sentences of a language, as a study words them
    question = pages.TASKS[task].context(item, order, text)  # what the template of the task shows
    html = pages.render("item", {"question": question, ...}, text)  # a whole page; "en" will do for text
    value = pages.TASKS[task].parse(form, item, order)       # an answer's value, or AnswerError

``item`` is anything with ``options`` and ``shown``; its key, role, topic, model and id are never read.
``order`` holds, for each place on the page, a position in ``item.options``: place "1" is ``order[0]``. It
is ``[]`` where nothing is chosen. Of a pair of topics it says which stands first.

Of a task
    ``context(item, order, text, familiarity=None)``
        a dict for ``templates/tasks/<task>.html``. ``familiarity``: whether it is asked how well the
        words are known; None: as usual (word_intrusion, temporal_word_intrusion and the two ratings ask
        it).
    ``parse(form, item, order, familiarity=None)``
        the value of an answer. `AnswerError.messages(text)` are the sentences by field, for ``errors``
        below.
    ``form(value, item, order)``
        the way back: the fields of an answer saved before, for ``kept`` below.

Forms
    Fields of an item: ``choice`` ("1", "2", …: places) and ``familiarity``; ``rating``; ``relatedness``
    and ``smoothness``; ``name_a``, ``name_b``, ``label`` ("0", "0.5", "1"); ``label`` (words), ``sure``,
    ``none``.

    Hidden: ``csrf``, ``assignment``, ``idempotency``, ``started`` (given back as they came) and
    ``seconds``, for how long the page could be seen, "12.3"; empty without JavaScript. ``idempotency``
    may be the browser's: an answer changed before it was confirmed gets a new one.

    With JavaScript the
    same form comes with ``Accept: application/json``, to be answered by ``{"saved": true, "next": url,
    "saved_at": iso}``, or status 422 and ``{"saved": false, "errors": messages}``. After 408, 425, 429,
    5xx or no reply it is sent again with the same ``idempotency``; after 401 and 403 it waits for the
    next page and is sent with the ``csrf`` of that one; after any other status it is given up and the
    form is posted plainly, so that the server can say why. `parse_consent` and `parse_choices` read the
    forms of consent, screening and quiz.

Every page may have
    ``study``
        ``{"title", "host", "contact", "words_language"}``: who runs it, a mail address, the language of
        the words shown, such as "en"; None where no study is known.
    ``csrf``, ``static`` ("/static": where `STATIC` is mounted), ``action`` (where its form posts),
    ``hidden`` (a dict of more hidden fields), ``errors`` (sentence by field), ``kept`` (the form as it
    came, to be filled in).

Pages, and what each wants besides; what is in brackets may be left out
    home            ``studies``: ``[{"title", "url"}]``
    consent         ``task``, ``items`` (at most), [``minutes`` "12", ``payment`` "£2.00", ``hours`` one may
                    come back in, ``checks``: there are some, ``platform``: its id is kept, ``more``:
                    paragraphs of the study's]; fields ``agree`` "1", ``stop`` "keep" or "delete"; the
                    button ``no`` "1"
    wait            ``next``, [``until``: ISO, when a place may be free]: others hold all places
    screening       ``questions``: ``[{"name", "question", "options"}]``; a field for each, "1", "2", …
    instructions    ``task``, [``practice``: how many such items follow, ``again``: they are only looked
                    up]; [``next`` instead of ``action`` where nothing is posted]
    practice        as item, with ``practice``: ``{"number", "of"}`` instead of ``position``, ``total``
    feedback        ``task``, ``question``, ``kept``, ``practice``, ``right`` (None: no answer is right),
                    [``answer``: the right option's text, ``why``: a sentence]
    quiz            ``task``, ``questions`` of `quiz`, [``wrong`` of `wrong_answers`, ``tries_left``]
    item            ``task``, ``question``, ``assignment``, ``idempotency``, ``started``, ``position``,
                    ``total``, [``saved_at``: ISO, of the answer before, ``back``, ``pause``,
                    ``withdraw``: urls, ``ahead``: urls of the item pages that follow; the browser gets
                    them early, with the header ``X-Ahead: 1``, shows them without delay and goes on
                    answering without a connection]
    break           ``done``, ``total``, ``next``
    paused, resume  ``done``, ``total``, ``next``, [``until``: ISO, ``withdraw``; for paused ``resume``:
                    the rater's own link]; resume is "welcome back"
    withdraw        ``done``, ``next``: back to the questions; field ``stop`` "keep" or "delete"
                    (here, on thanks, paused and ended: [``pseudonym``: under which answers are kept])
    thanks          ``total``, [``code``, ``return_url``, ``platform``, ``remark_sent``]; field ``remark``
                    if there is ``action``
    ended-screened, ended-full, ended-quiz, ended-timeout, ended-closed, ended-declined, ended-withdrew,
                    ended-again: somebody with this number of the platform takes part in another browser
                    [``code``, ``return_url``, ``kept_answers``: whether those saved are kept]
    not-found       nothing: the same page for what is unknown and for what is another's
    error           [``kind``: "server", "expired" (session or csrf), "too-many", "too-large" or "bad",
                    ``next``]

"""

from tealeaves.human.app.pages.choice import Choice, ChoiceBesideText, ChoiceForToken, ChoiceInSlices
from tealeaves.human.app.pages.flow import parse_choices, parse_consent, quiz, wrong_answers
from tealeaves.human.app.pages.naming import Labelling, PairMatching
from tealeaves.human.app.pages.rating import Rating
from tealeaves.human.app.pages.rendering import STATIC, render
from tealeaves.human.app.pages.task import AnswerError, Task
from tealeaves.human.app.pages.wording import Wording, languages, preferred, wording

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Choice("word_intrusion", familiarity=True),
        ChoiceBesideText("topic_intrusion"),
        Choice("word_set_intrusion"),
        ChoiceForToken("topic_word_matching"),
        ChoiceInSlices("temporal_word_intrusion", familiarity=True),
        Rating("word_set_rating", ("rating",)),
        Rating("temporal_rating", ("relatedness", "smoothness")),
        PairMatching("topic_pair_matching"),
        Labelling("topic_labelling"),
    )
}

__all__ = [
    "STATIC",
    "TASKS",
    "AnswerError",
    "Task",
    "Wording",
    "languages",
    "parse_choices",
    "parse_consent",
    "preferred",
    "quiz",
    "render",
    "wording",
    "wrong_answers",
]
