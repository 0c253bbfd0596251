"""The pages raters see: a question made from an item, its answer read from a form, and every page around it.

Routes call three things and know nothing of HTML::

    text = pages.wording("en", study_words)                          # the sentences of a language, as the study words them
    question = pages.TASKS[task].context(item, order, text)          # what the template of the task shows
    html = pages.render("item", {..., "question": question}, text)   # a whole page; "en" will do for `text`
    value = pages.TASKS[task].parse(form, item, order)               # an answer's value, or AnswerError

``item`` is anything with ``task``, ``options`` and ``shown``; its key, role, topic, model and id are never read.
``order`` holds a position of ``item.options`` for each place on the page: place ``p`` ("1" is the first) shows
``item.options[order[p - 1]]``. It is ``[]`` where nothing is chosen.

Of a task
    ``context(item, order, text, familiarity=None)``
        a dict for ``templates/tasks/<task>.html``. ``familiarity``: ask how well the words are known (None: as is
        usual for the task: yes for word_intrusion, temporal_word_intrusion, word_set_rating, temporal_rating).
    ``parse(form, item, order, familiarity=None)``
        the value of an answer. `AnswerError.messages(text)` are the sentences by field, for ``errors`` below.
    ``form(value, item, order)``
        the way back: the fields of an answer saved before, for ``kept`` below.

Forms
    Fields of an item: ``choice`` ("1", "2"…: places), ``familiarity``; ``rating``; ``relatedness``, ``smoothness``;
    ``name_a``, ``name_b``, ``label`` ("0", "0.5", "1"); ``label`` (words), ``sure``, ``none``.
    Hidden: ``csrf``, ``assignment``, ``idempotency``, ``started`` (given back as they came), and ``seconds``, the time the
    page could be seen, "12.3"; empty without JavaScript.
    ``idempotency`` may be one the browser made: an answer that was changed before it was confirmed gets a new one.
    With JavaScript the same form comes with ``Accept: application/json`` and is answered by
    ``{"saved": true, "next": url, "saved_at": iso}``, or status 422 and ``{"saved": false, "errors": messages}``.
    408, 425, 429 and 5xx are tried again with the same ``idempotency``; after 401 and 403 the answer waits for the next
    page, and is sent with that page's ``csrf``; after 404, 409, 410 and 413 it is given up, for the server knows why.
    `parse_consent`, `parse_choices` read the forms of consent, screening and quiz.

Every page may have
    ``study``
        ``{"title", "host", "contact", "words_language"}`` (who runs it; a mail address; the language of the words shown,
        such as "en"); None where no study is known.
    ``csrf``, ``static`` ("/static": where `STATIC` is mounted), ``action`` (where its form posts), ``hidden`` (a dict of
    more hidden fields), ``errors`` (sentence by field), ``kept`` (the form as it came, to be filled in again).

Pages, and what else each wants ("?": may be left out)
    home            ``studies``: ``[{"title", "url"}]``
    consent         ``task``, ``items``, ``minutes`` ("12")?, ``payment`` ("£2.00")?, ``hours`` (24: how long one may come back)?,
                    ``checks`` (bool)?, ``platform`` (bool: an id is kept)?, ``more`` (paragraphs of the study's own)?, ``next``? (None)
                    fields: ``agree`` "1", ``stop`` "keep"/"delete", the button ``no`` "1"
    screening       ``questions``: ``[{"name", "question", "options": [str]}]``; fields: each name, "1", "2"…
    instructions    ``task``, ``practice`` (how many practice items follow), ``again`` (bool: only looked up)?; ``next`` instead of
                    ``action`` where nothing is posted
    practice        as ``item``, with ``practice``: ``{"number", "of"}``
    feedback        ``task``, ``question``, ``kept``, ``practice``, ``right`` (True/False/None: no answer is right),
                    ``answer`` (the right option's text)?, ``why`` (a sentence)?
    quiz            ``questions`` (of `quiz(task, text)`), ``wrong``: ``{name: why}`` of the try before?, ``tries_left``?
    item            ``task``, ``question``, ``assignment``, ``idempotency``, ``started``, ``position``, ``total``,
                    ``saved_at`` (ISO, UTC: when the last answer was committed)?, ``back`` (url)?, ``pause``, ``withdraw`` (urls)?,
                    ``ahead`` (urls of the next item pages: fetched early with ``X-Ahead: 1``, so that one can go on answering
                    without a connection)?
    break           ``done``, ``total``, ``next``
    paused          ``done``, ``total``, ``next``, ``until`` (ISO)?, ``withdraw``?
    resume          ``done``, ``total``, ``next``, ``until``?, ``withdraw``?        (welcome back)
    withdraw        ``done``, ``next`` (back to the questions); field ``stop`` "keep"/"delete"
    thanks          ``total``, ``code``?, ``return_url``?, ``remark_sent`` (bool)?; field ``remark``
    ended-screened, ended-full, ended-quiz, ended-timeout, ended-closed, ended-declined, ended-withdrew
                    ``code``?, ``return_url``?, ``kept_answers`` (bool, ended-withdrew and ended-timeout)?
    not-found       nothing (the same for what is unknown and what is another's)
    error           ``kind``: "server", "expired" (session or csrf), "too-many", "too-large", "bad"; ``next``?

`question_html(task, question, language)` is a question alone, not to be answered: for previews.
"""

from tealeaves.human.app.pages.choice import Choice, ChoiceBesideText, ChoiceForToken, ChoiceInSlices
from tealeaves.human.app.pages.flow import parse_choices, parse_consent, quiz, wrong_answers
from tealeaves.human.app.pages.naming import Labelling, PairMatching
from tealeaves.human.app.pages.rating import Rating
from tealeaves.human.app.pages.rendering import STATIC, question_html, render
from tealeaves.human.app.pages.task import AnswerError, Task
from tealeaves.human.app.pages.wording import Wording, languages, wording

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
    "question_html",
    "quiz",
    "render",
    "wording",
    "wrong_answers",
]
