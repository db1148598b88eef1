"""Texts as the model reads them: words with their tokens, and what is known of each word."""

import functools
import os
import re
import sys

import regex
from anyascii import anyascii
from lists import flags
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "guard"))

from train import MAX_TOKENS, base_folder  # noqa: E402

TRUNK = os.path.join(HERE, "..", "..", "..", "models", "trunk.onnx")

LABELS = ["O", "B-PERSON", "I-PERSON", "B-PLACE", "I-PLACE"]
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+|[^\s]")
BEGINS = set(".!?:\"“'*->|#")
# Links, addresses of mail and paths: other rules mask them, or nobody does.
LINK = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\S+|\S*/\S+/\S*|@\w+")
OVERLAP = 8
BATCH_TOKENS = 2048
THREADS = int(os.environ.get("POLICYCAGE_THREADS", "2"))
FEATURES = 32 * 16


@functools.cache
def tokenizer():
    found = Tokenizer.from_file(os.path.join(base_folder(), "tokenizer.json"))
    found.no_padding()
    found.no_truncation()
    return found


@functools.cache
def tokens_of(word):
    word = word[:64]
    ids = tokenizer().encode(anyascii(word) or word, add_special_tokens=False).ids[:24]
    return ids or [tokenizer().token_to_id("[UNK]")]


def shape(word):
    letters = [c for c in word if c.isalpha()]
    has_digit = any(c.isdigit() for c in word)
    if not letters:
        return 0 if has_digit else 1
    if has_digit:
        return 2
    if not any(c.isupper() for c in letters):
        return 3
    if len(letters) == 1:
        return 4
    if all(c.isupper() for c in letters):
        return 5
    return 6 if letters[0].isupper() and not any(c.isupper() for c in letters[1:]) else 7


def words_of(text):
    """(start, end, tokens, feature): the base knows no case, so the feature tells it, with whether a sentence may begin and lists."""
    words, before, end = [], None, 0
    for match in WORD.finditer(text):
        word = match.group()
        gap = text[end : match.start()]
        begins = before is None or "\n" in gap or before in BEGINS
        sticks = before is not None and gap == ""
        words.append((*match.span(), tokens_of(word), (shape(word) * 4 + begins * 2 + sticks) * 16 + flags(word)))
        before, end = word, match.end()
    return words


def windows_of(words):
    """Windows that fit the trunk, with the place of their first word, each beginning with the last words of the one before."""
    at = 0
    while at < len(words):
        count, to = 2, at
        while to < len(words) and count + len(words[to][2]) <= MAX_TOKENS:
            count += len(words[to][2])
            to += 1
        yield at, words[at:to]
        at = to if to >= len(words) else max(to - OVERLAP, at + 1)


def through_trunk(rows):
    """What the shipped trunk makes of rows of tokens, in half precision."""
    import numpy as np
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(TRUNK, options)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    hidden, at = [None] * len(rows), 0
    while at < len(order):
        to = at + 1
        while to < len(order) and len(rows[order[to]]) * (to + 1 - at) <= BATCH_TOKENS:
            to += 1
        some = order[at:to]
        ids = np.zeros((len(some), len(rows[some[-1]])), np.int64)
        mask = np.zeros_like(ids)
        for row, i in enumerate(some):
            ids[row, : len(rows[i])] = rows[i]
            mask[row, : len(rows[i])] = 1
        (output,) = session.run(None, {"ids": ids, "mask": mask})
        for row, i in enumerate(some):
            hidden[i] = output[row, : len(rows[i])].astype(np.float16)
        at = to
    return hidden


def encoded(words):
    """Tokens, features, and where each word's first token is."""
    ids, features, firsts = [tokenizer().token_to_id("[CLS]")], [0], []
    for _, _, tokens, feature in words:
        firsts.append(len(ids))
        ids += tokens
        features += [feature] * len(tokens)
    return [*ids, tokenizer().token_to_id("[SEP]")], [*features, 0], firsts


def spans_of(text, words):
    """Names by the words' log probabilities."""
    links = [match.span() for match in LINK.finditer(text)]
    found, open_span = [], None
    for start, end, scores in words:
        label = LABELS[int(scores.argmax())]
        if label == "O" or any(a <= start < b for a, b in links):
            open_span = None
        elif open_span and open_span[2] == label[2:] and label[0] == "I" and start - open_span[1] <= 2:
            open_span[1] = end
        else:
            open_span = [start, end, label[2:]]
            found.append(open_span)
    return [span for span in found if sum(c.isalpha() for c in text[span[0] : span[1]]) > 1]
