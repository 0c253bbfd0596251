"""The tables of studies in a database."""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = 2
METADATA = MetaData()


def _key() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _of(table: str, *, null: bool = False, **options: Any) -> Column[int]:
    """A reference to a row of another table, which goes when that row goes."""
    return Column(
        f"{table.removesuffix('s')}_id",
        ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=null,
        **options,
    )


# Times are seconds since 1970 in UTC; JSON is text, so that both databases give back what was put in.
schema = Table("tealeaves_schema", METADATA, Column("version", Integer, nullable=False))

studies = Table(
    "studies",
    METADATA,
    _key(),
    Column("name", String(80), nullable=False, unique=True),
    Column("digest", String(64), nullable=False),  # of the items
    Column("created_at", Double, nullable=False),
    sqlite_autoincrement=True,
)

raters = Table(
    "raters",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("phase", String(8), nullable=False),  # draft, pilot or live: "form" of the exported answers
    Column("fingerprint", String(64)),  # keyed hash of the platform's id or the browser's cookie
    Column("visit", String(64)),  # keyed hash of the platform's session: who has it is let in again
    Column("resume_hash", String(64), nullable=False, unique=True),
    Column("stop", String(8), nullable=False),  # keep or delete: what becomes of answers if the rater stops
    Column("created_at", Double, nullable=False),  # when consent was given
    Column("seen_at", Double, nullable=False),
    Column("screened_at", Double),
    Column("placed_at", Double),  # when items were laid out for the rater
    Column("instructed_at", Double),
    Column("quiz_tries", Integer, nullable=False, default=0),
    Column("quiz_at", Double),  # when it was passed
    Column("lease_until", Double, nullable=False),  # until when the open items are the rater's own
    Column("ended", String(16)),  # completed, screened_out, quiz, full, timed_out, withdrew, closed
    Column("ended_at", Double),
    Column("erased_at", Double),  # when the rater's answers were deleted
    UniqueConstraint("study_id", "number"),
    UniqueConstraint("study_id", "phase", "fingerprint"),
    CheckConstraint("stop IN ('keep', 'delete')"),
    sqlite_autoincrement=True,
)

# Apart from everything else, so that it can be deleted and leaves nothing behind.
platform_ids = Table(
    "platform_ids",
    METADATA,
    Column("rater_id", ForeignKey("raters.id", ondelete="CASCADE"), primary_key=True),
    Column("platform", String(16), nullable=False),
    Column("external", String(128), nullable=False),  # PROLIFIC_PID or workerId
    Column("details", Text, nullable=False),  # JSON: STUDY_ID and SESSION_ID, or assignmentId and hitId
)

sessions = Table(
    "sessions",
    METADATA,
    Column("token_hash", String(64), primary_key=True),
    _of("raters", index=True),
    Column("expires_at", Double, nullable=False),
)

assignments = Table(
    "assignments",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    _of("raters"),
    Column("phase", String(8), nullable=False),
    Column("item", String(64), nullable=False),
    Column("role", String(16), nullable=False),
    Column("series", String(8), nullable=False),  # practice or items
    Column("position", Integer, nullable=False),  # 1, 2, … in its series
    Column("order", Text, nullable=False),  # JSON: place on the page -> position among the item's options
    Column("state", String(8), nullable=False),  # open, done, returned
    Column("given_at", Double, nullable=False),
    Column("done_at", Double),
    UniqueConstraint("rater_id", "item"),
    UniqueConstraint("rater_id", "series", "position"),
    CheckConstraint("state IN ('open', 'done', 'returned')"),
    Index("assignments_places", "study_id", "phase", "state", "item"),
    sqlite_autoincrement=True,
)

# Only ever added to; the answer that counts is the one of the highest revision.
answers = Table(
    "answers",
    METADATA,
    _key(),
    _of("assignments"),
    Column("revision", Integer, nullable=False),  # 1, 2, …
    Column("key", String(64), nullable=False),  # the page's idempotency key
    Column("change", Integer, nullable=False),  # 0, or how often the answer was changed on that very page
    Column("value", Text, nullable=False),  # JSON
    Column("seconds", Double),
    Column("saved_at", Double, nullable=False),
    UniqueConstraint("assignment_id", "revision"),
    UniqueConstraint("assignment_id", "key", "change"),
    sqlite_autoincrement=True,
)

TOLD = ("screening", "quiz", "remark")  # kinds of events that hold what a rater told, besides answers
# Whether an ended rater keeps his places, or they went to others since the rules leave him out.
COUNTED, REPLACED = "counted", "replaced"
# What happened besides: TOLD, COUNTED and REPLACED, steps of curation.
events = Table(
    "events",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False, index=True),
    _of("raters", null=True, index=True),
    Column("kind", String(24), nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
)

# Rules of exclusion as they were when first applied, and when results were looked at before the end.
rules = Table(
    "rules",
    METADATA,
    _key(),
    Column("study_id", ForeignKey("studies.id", ondelete="CASCADE"), nullable=False),
    Column("kind", String(24), nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("at", Double, nullable=False),
    sqlite_autoincrement=True,
)
