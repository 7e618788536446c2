"""What programmers call one thing: words of questions beside the words of names.

General usage of code in any language (`dict` for a dictionary, `__contains__` for what is present),
not of any project. Each line is one group; a word may stand in several.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

_GROUPS = """
abort error exception fail failure raise throw
accept allow access deny disallow permit
acquire begin enter setup start
add append extend insert push
age duration second timedelta
app application middleware wsgi
apply call callable execute exec invoke run
arg args argument kwargs param parameter
ask confirm input prompt
assert check ensure test validate verify
assign put set setitem store
async await coroutine future promise
attr attribute field property
auth authentication authorization credentials login
binary byte bytes raw
block chunk part piece
block sleep wait
bool boolean can has is
bound exhausted limit max maximum
build construct create factory generate init make new
cache cached lazy memoize memory
callback event handler hook listener signal subscribe
canonical clean normalize process
cast coerce convert to transform
char character
class kind scheme type
cleanup close end exit finish release shutdown stop teardown
clear del delete delitem discard drop pop remove unlink
clone copy duplicate
cmd command
cmp compare eq equal match same
code number status
collection array items list sequence
color colour style
combine concat join merge multiple union update
conf config configuration cfg option options settings
conn connection socket
console terminal tty
contains exists has in include present
context ctx
cookie session
count len length number size
database db
date datetime time timestamp
debug display echo print repr show
decode deserialize load parse read unmarshal
decorate decorator wrap wrapper
default fallback
delegate proxy wrap wrapper
dependency import module require
dest destination dst target
dict dictionary map mapping
diff difference change patch
digest checksum hash
dir directory folder path
dispatch emit post send
dump encode marshal quote save serialize write
each iter iterate iterator loop walk yield
edge arc link
edit modify change update
entry record row
env environ environment
escape quote percent
extend inherit override subclass
fake mock simulate stub test
fetch get getitem load lookup obtain retrieve
file fp io stream
filter select where
find lookup match query search
fit match suitable
float int integer num number
format render template
func function fn method
get give return
graph network
group bucket category
header headers
href link uri url
idx index pos position
instance obj object
internal private
job task worker
key id identifier name
lock mutex thread
log logger logging
message msg text
min minimum
mount prefix start
multi multiple many
node vertex vertices nodes
number integer numeric
optional default maybe
order sort
orig original
page paginate pagination
partition split separate
password passwd secret
permission role rights
policy rule
prev previous last
proc process
receive recv
redirect location
ref reference
regex pattern regexp expression
request req
response resp
retry attempt again
reverse invert
send transmit write
shortest path distance
source src
str string text unicode
temp temporary tmp
tokenize lexer scan token
user account client
val value
warn warning deprecated
""".strip().split("\n")


@cache
def _table() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in _GROUPS:
        words = line.split()
        for word in words:
            groups.setdefault(stem(word), set()).update(words)
    return {word: frozenset(others - {word}) for word, others in groups.items()}


def beside(terms: Iterable[str]) -> list[str]:
    """Other words for these terms, in order, none of the terms themselves."""
    given = {stem(term): term for term in terms}
    found = (other for stem in given for other in sorted(_table().get(stem, ())))
    return [word for word in dict.fromkeys(found) if stem(word) not in given]


@cache
def stem(word: str) -> str:
    """The stem of an English word."""
    import snowballstemmer

    return str(snowballstemmer.stemmer("english").stemWord(word))
