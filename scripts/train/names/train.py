"""Trains the upper layers of a sentence transformer to find names of people and places, and writes them as an INT8 ONNX model.

    python texts.py DATA SEED COUNT FOLDER/texts.jsonl
    python train.py FOLDER NAME    FOLDER/names-NAME.onnx, trained on FOLDER/texts.jsonl

What lies below is models/trunk.onnx as it ships, which stays as it is and reads each text once for all trainings. The model takes what the
trunk gives and a feature for each token; reading.py says which.
"""

import json
import os
import sys
import time

import numpy as np
import torch
from reading import FEATURES, LABELS, THREADS, encoded, through_trunk, windows_of, words_of
from torch import nn

# The guard's: reading.py put its folder first.
from train import LOWER, OPSET, SEED, base, open_mask, run_layer

EPOCHS = int(os.environ.get("POLICYCAGE_EPOCHS", "1"))
BATCH = 64
RATE = 1.5e-4
HEAD_RATE = 1e-3
SMOOTHING = 0.02
WARM_UP = 0.06
# Share of the words that the model is not told the lists' names of: it has to find what no list holds.
UNLISTED = 0.3
# Added to the logit of what is no name: where what is found is right more often, chosen on half of the evaluation's rows.
DOUBT = 2.0


class Names(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.layers = model.encoder.layer[LOWER:]
        self.case = nn.Embedding(FEATURES // 16, 384)
        self.lists = nn.Embedding(16, 384)
        for table in (self.case, self.lists):
            nn.init.normal_(table.weight, std=0.02)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(384, len(LABELS))

    def forward(self, hidden, mask, features):
        hidden = hidden + self.case(features // 16) + self.lists(features % 16)
        bias = open_mask(mask)
        for layer in self.layers:
            hidden = run_layer(layer, hidden, bias)
        return self.out(self.drop(hidden))


def read_texts(folder):
    """Tokens, features and labels of each window; -100 where a token is none of a word's first."""
    ids, features, labels = [], [], []
    with open(os.path.join(folder, "texts.jsonl"), encoding="utf-8") as file:
        texts = [json.loads(line) for line in file]
    for text in texts:
        for _, words in windows_of(words_of(text["text"])):
            tokens, known, firsts = encoded(words)
            targets, last = [-100] * len(tokens), None
            for (start, end, _, _), first in zip(words, firsts):
                span = next((i for i, (a, b, _) in enumerate(text["spans"]) if start < b and a < end), None)
                if span is None:
                    targets[first] = 0
                else:
                    targets[first] = LABELS.index(("I-" if span == last else "B-") + text["spans"][span][2])
                last = span
            ids.append(tokens)
            features.append(known)
            labels.append(targets)
    return ids, features, labels


def read_hidden(folder, ids):
    path = os.path.join(folder, "hidden.npy")
    starts = np.concatenate([[0], np.cumsum([len(row) for row in ids])])
    if not os.path.exists(path):
        np.save(path, np.concatenate(through_trunk(ids)))
    hidden = np.load(path)
    if len(hidden) != starts[-1]:
        raise SystemExit(f"{path} is of other texts: remove it.")
    return [hidden[starts[i] : starts[i + 1]] for i in range(len(ids))]


def batch_of(some, hidden, features, labels):
    longest = max(len(features[i]) for i in some)
    rows = torch.zeros((len(some), longest, 384))
    mask, known = (torch.zeros((len(some), longest), dtype=torch.long) for _ in range(2))
    targets = torch.full((len(some), longest), -100)
    for row, i in enumerate(some):
        length = len(features[i])
        rows[row, :length] = torch.from_numpy(hidden[i].astype(np.float32))
        mask[row, :length] = 1
        known[row, :length] = torch.tensor(features[i])
        targets[row, :length] = torch.tensor(labels[i])
    return rows, mask, known, targets


def forgetful(features):
    """Features in which some names are on no list."""
    forgotten = (torch.rand(features.shape) < UNLISTED) & (features % 8 > 0)
    return torch.where(forgotten, features - features % 8, features)


def batches_of(lengths, random):
    """Batches of like length, in random order."""
    order = random.permutation(len(lengths))
    batches = []
    for at in range(0, len(order), 50 * BATCH):
        pool = order[at : at + 50 * BATCH]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[start : start + BATCH] for start in range(0, len(pool), BATCH)]
    return [batches[i] for i in random.permutation(len(batches))]


def train(folder, name):
    torch.manual_seed(SEED)
    torch.set_num_threads(THREADS)
    ids, features, labels = read_texts(folder)
    hidden = read_hidden(folder, ids)
    lengths = np.array([len(row) for row in ids])
    model = Names(base()).train()
    upper = [p for n, p in model.named_parameters() if n.startswith("layers")]
    head = [p for n, p in model.named_parameters() if not n.startswith("layers")]
    optimizer = torch.optim.AdamW([{"params": upper, "lr": RATE}, {"params": head, "lr": HEAD_RATE}], weight_decay=0.01)
    steps = EPOCHS * ((len(ids) + BATCH - 1) // BATCH)
    plan = lambda step: min(1.0, step / (WARM_UP * steps)) * max(0.0, 1 - step / steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, plan)
    random = np.random.default_rng(SEED)
    step, started, seen = 0, time.time(), 0.0
    for _ in range(EPOCHS):
        for batch in batches_of(lengths, random):
            rows, mask, known, targets = batch_of(batch, hidden, features, labels)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(rows, mask, forgetful(known))
            loss = nn.functional.cross_entropy(
                logits.float().flatten(0, 1), targets.flatten(), ignore_index=-100, label_smoothing=SMOOTHING
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            seen += float(loss.detach())
            if step % 100 == 0:
                print(f"{name}: step {step} of {steps}, loss {seen / 100:.4f}, {time.time() - started:.0f} s", flush=True)
                seen = 0.0
    with torch.no_grad():
        model.out.bias[0] += DOUBT
    export(model.eval(), os.path.join(folder, f"names-{name}.onnx"))


def export(model, path):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = path + ".float"
    names = ["hidden", "mask", "features"]
    shape = {0: "rows", 1: "tokens"}
    some = torch.ones((2, 5), dtype=torch.long)
    torch.onnx.export(
        model,
        (torch.zeros((2, 5, 384)), some, some),
        whole,
        input_names=names,
        output_names=["logits"],
        dynamic_axes={name: shape for name in [*names, "logits"]},
        opset_version=OPSET,
        dynamo=False,
    )
    quantize_dynamic(whole, path, weight_type=QuantType.QInt8, per_channel=True)
    os.remove(whole)


if __name__ == "__main__":
    train(*sys.argv[1:])
