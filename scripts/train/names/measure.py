"""Measures models of train.py, and other findings, as `npm run eval -- pii` measures names: a span counts as found, and a finding as
right, where they overlap and are of one kind.

    python measure.py DATA all|even|odd FILE...

DATA is the folder of the data sets. A FILE that ends in .onnx is a model; one in .json holds [[start, end, kind]] of each row by file.
Rows are those of even or odd number, or all; documentation is always the half that texts.py leaves out, and all of other sources.
"""

import json
import os
import sys

import numpy as np
from reading import THREADS, encoded, spans_of, through_trunk, windows_of, words_of

KINDS = {"PERSON": "PERSON", "person": "PERSON", "LOCATION": "PLACE", "GPE": "PLACE", "location": "PLACE"}
ANNOTATED = ["pii/presidio_synth_v2", "pii/presidio_generated_small", "pii/wnut17_test_dev"]
HALVED = ["injection/train/cryptodocs_bitcoin", "injection/train/cryptodocs_ethereum"]
DOCUMENTATION = [*HALVED, "injection/train/cryptodocs_makerdao"]
DOCUMENTATION += ["poison/benign_compound", "poison/benign_curve", "poison/benign_maker_devguides", "poison/benign_uniswap"]
BATCH = 32


def read(data, name):
    with open(os.path.join(data, name + ".jsonl"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def prepared(data):
    """Windows and what the trunk makes of them, once for all models."""
    found = {}
    for name in ANNOTATED + DOCUMENTATION:
        windows = [
            (row, at, words, *encoded(words))
            for row, each in enumerate(read(data, name))
            for at, words in windows_of(words_of(each["text"]))
        ]
        found[name] = (windows, through_trunk([window[3] for window in windows]))
    return found


def findings(session, data, name, windows, hidden):
    """Spans of each row. Of overlapping windows a word counts where it stands farther from an edge."""
    best = {}
    order = sorted(range(len(windows)), key=lambda i: len(windows[i][3]))
    for start in range(0, len(order), BATCH):
        some = order[start : start + BATCH]
        longest = max(len(windows[i][3]) for i in some)
        rows = np.zeros((len(some), longest, 384), np.float32)
        mask, features = (np.zeros((len(some), longest), np.int64) for _ in range(2))
        for k, i in enumerate(some):
            length = len(windows[i][3])
            rows[k, :length], mask[k, :length], features[k, :length] = hidden[i], 1, windows[i][4]
        (logits,) = session.run(None, {"hidden": rows, "mask": mask, "features": features})
        for k, i in enumerate(some):
            row, at, words, _, _, firsts = windows[i]
            for j, (word, first) in enumerate(zip(words, firsts)):
                margin = min(j if at > 0 else len(words), len(words) - 1 - j)
                known = best.setdefault(row, {}).get(at + j)
                if known is None or margin > known[0]:
                    best[row][at + j] = (margin, (word[0], word[1], logits[k, first]))
    result = []
    for row, each in enumerate(read(data, name)):
        words = [word for _, (_, word) in sorted(best.get(row, {}).items())]
        places = utf16(each["text"])
        result.append([[places[a], places[b], kind] for a, b, kind in spans_of(each["text"], words)])
    return result


def utf16(text):
    """Places as the data sets' offsets are read by the project: in UTF-16."""
    places = [0]
    for character in text:
        places.append(places[-1] + (2 if ord(character) > 0xFFFF else 1))
    return places


def with_interval(hits, total):
    if total == 0:
        return "-"
    z, share = 1.96, hits / total
    centre, scale = share + z * z / (2 * total), 1 + z * z / total
    margin = z * (share * (1 - share) / total + z * z / (4 * total * total)) ** 0.5
    return f"{100 * share:.1f} [{100 * max(0, centre - margin) / scale:.1f}-{100 * min(scale, centre + margin) / scale:.1f}]"


def report(data, half, found):
    counted = lambda row: half == "all" or row % 2 == (half == "odd")
    for name in ANNOTATED:
        counts = {kind: [0, 0, 0, 0] for kind in ("PERSON", "PLACE")}
        for row, each in enumerate(read(data, name)):
            if not counted(row):
                continue
            spans = [(s["start"], s["end"], KINDS[s["type"]]) for s in each["spans"] if s["type"] in KINDS]
            same = lambda a, b: a[2] == b[2] and a[0] < b[1] and b[0] < a[1]
            for span in spans:
                counts[span[2]][0] += any(same(span, finding) for finding in found[name][row])
                counts[span[2]][1] += 1
            for finding in found[name][row]:
                counts[finding[2]][2] += any(same(span, finding) for span in spans)
                counts[finding[2]][3] += 1
        for kind, (hit, total, right, said) in counts.items():
            print(f"{name:30} {kind:7} {with_interval(hit, total)} % of {total} found; {with_interval(right, said)} % of {said} right")
    words_of_all, masks_of_all = 0, [0, 0]
    for name in DOCUMENTATION:
        words, masks = 0, [0, 0]
        for row, each in enumerate(read(data, name)):
            if name in HALVED and row % 2 == 0:
                continue
            words += len(each["text"].split())
            for _, _, kind in found[name][row]:
                masks[kind == "PLACE"] += 1
        words_of_all, masks_of_all = words_of_all + words, [a + b for a, b in zip(masks_of_all, masks)]
        print(f"{name:38} {1000 * masks[0] / words:.2f} and {1000 * masks[1] / words:.2f} masks of {words} words, a thousand")
    print(f"{'documentation':38} {1000 * masks_of_all[0] / words_of_all:.2f} and {1000 * masks_of_all[1] / words_of_all:.2f}")


def measure(data, half, files):
    import onnxruntime

    windows = prepared(data) if any(file.endswith(".onnx") for file in files) else {}
    for file in files:
        print("==", file)
        if file.endswith(".onnx"):
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = THREADS
            session = onnxruntime.InferenceSession(file, options)
            found = {name: findings(session, data, name, *each) for name, each in windows.items()}
            with open(file + ".found.json", "w", encoding="utf-8") as out:
                json.dump(found, out)
        else:
            with open(file, encoding="utf-8") as out:
                found = json.load(out)
        report(data, half, found)


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2], sys.argv[3:])
