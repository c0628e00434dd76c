"""How a test talks to a peer process: one JSON object per line on stdin, one answer per line on stdout."""

import json
import sys


def texts(tokens):
    """What a person would copy from the program: name -> function that gives it. What it cannot give is left out."""
    found = {}
    for name, text in tokens.items():
        try:
            found[name] = text()
        except Exception as error:  # another version has it otherwise
            print(f"{name}: {error!r}", file=sys.stderr, flush=True)
    return {"tokens": found}


def serve(commands, end=lambda: None):
    """Answers {"do": name, ...arguments} with commands[name](**arguments), until stdin ends.

    commands: name -> function of keyword arguments that returns a dict. A raised exception becomes {"error": text}.
    end: lets go of everything; called when stdin has ended.
    """
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        arguments = json.loads(line)
        name = arguments.pop("do")
        try:
            answer = commands[name](**arguments) or {}
        except Exception as error:  # the test decides what a failure means
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
    end()
