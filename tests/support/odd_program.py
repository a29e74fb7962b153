"""A program that speaks the protocol by hand, and misbehaves as its argument says."""

import json
import os
import random
import signal
import sys
import time

GIVEN = sys.argv[1:] if __name__ == "__main__" else []  # where it is imported, the arguments are those of pytest
MODE = GIVEN[0] if GIVEN else "good"
PATIENCE = float(GIVEN[1]) if len(GIVEN) > 1 else 600.0


def say(message: object) -> None:
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    sys.stdout.flush()


def greet(hello: dict[str, object]) -> None:
    known = {"type": "hello", "protocol": 1, "name": "odd", "version": "3", "bounds": [0, 1]}
    if MODE == "hello hangs":
        sys.stderr.write("waiting for a licence\n")
        sys.stderr.flush()
        time.sleep(3600)
    facts: dict[str, dict[str, object]] = {
        "hello protocol": {"protocol": 2},
        "hello misspelt": {"vesrion": "4"},
        "hello claims": {"claim": {"epsilon": 1.0, "relation": "add-remove"}},
        "hello patience": {"patience": 0.5},
        "hangs": {"patience": PATIENCE},
        "not done": {"patience": PATIENCE},
        "works long": {"patience": PATIENCE},
        "hello bounds": {"bounds": [1]},
    }
    say({**known, **facts.get(MODE, {})})


def die(rows: list[list[float]], seed: int) -> None:
    """End in the ways that a learner may: by a signal, by an exit, or killed from outside."""
    if MODE == "crashes on D" and rows[0][0] == 0.0 and seed % 4 == 0:
        sys.stderr.write("about to crash\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "leaves on D" and rows[0][0] == 0.0 and seed % 4 == 0:
        os._exit(7)
    if MODE == "always dies":
        sys.stderr.write("no such file: weights.bin\n")
        sys.exit(9)
    if MODE == "killed from outside":
        os.kill(os.getpid(), signal.SIGKILL)


def misbehave(seed: int) -> None:
    """Do something else than to answer."""
    if MODE == "hangs" and seed % 4 == 0:
        sys.stderr.write("deadlock\n")
        sys.stderr.flush()
        time.sleep(3600)
    elif MODE == "works long":
        for _ in range(3):
            time.sleep(PATIENCE / 2)
            say({"type": "working"})
    elif MODE == "rubbish":
        say("epoch 1: loss 0.3")
    elif MODE == "floods":
        while True:
            sys.stdout.write("x" * 65536)
    elif MODE == "floods errors":
        sys.stderr.write("y" * 1_000_000 + "\n")
    elif MODE == "closes":
        os.close(1)
        time.sleep(3600)


def train(rows: list[list[float]], seed: int, trained: int) -> None:
    die(rows, seed)
    misbehave(seed)
    rng = random.SystemRandom() if MODE == "unseedable" else random.Random(seed)
    output = sum(row[0] for row in rows) + rng.expovariate(1.0) - rng.expovariate(1.0)
    answers: dict[str, dict[str, object]] = {
        "counts": {"output": output + 0.001 * trained},
        "raises": {"error": "ValueError", "message": "empty bin"} if seed % 2 else {"output": output},
        "not finite": {"output": [output, "NaN" if seed % 2 else 0.0]},
        "no output": {"result": output},
    }
    say(answers.get(MODE, {"output": output}))
    if MODE == "talks too much":
        say({"output": output})


def main() -> None:
    slots, trained = {}, 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            greet(message)
        elif message["type"] == "data":
            slots[message["slot"]] = message["X"]
        else:
            for seed in message["seeds"]:
                train(slots[message["slot"]], int(seed, 16), trained)
                trained += 1
            if MODE == "leaves afterwards":
                os._exit(7)
            if MODE != "not done":
                say({"type": "done"})


if __name__ == "__main__":  # tests of examples import every file
    main()
