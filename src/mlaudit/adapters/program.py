"""A mechanism made of a program in any language, which answers requests on its standard input and output."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.random import SeedSequence

from mlaudit.adapters.programs.pool import Launch
from mlaudit.adapters.programs.protocol import PATIENCE, Facts, read_claim, write_hello
from mlaudit.adapters.programs.requests import say_hello, train_many
from mlaudit.drawing.elsewhere import Trained
from mlaudit.errors import InvalidInput
from mlaudit.naming.commands import hash_files, list_files, read_command, require_program
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import instance, mapping, positive, text
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.numbers import parameter
from mlaudit.types.traits import Traits

_APART = {"described": False}  # no part of the description that seeds are derived from


@dataclass(frozen=True, init=False)
class Program:
    """A learner in a program of its own, in any language: docs/other_languages.md has the protocol.

    The program is started at once and says what it is. Each process that draws trainings starts one more. No shell is
    involved. Programs end with the process that started them.

    Args:
        command: The program and its arguments, as one would type them.
        claim: The privacy that it claims; the program is told. Default: what the program states in its hello.
        params: Parameters for the program, by name: numbers, texts, lists.
        patience: The seconds without a line after which the program counts as hanging. The program may state others.

    Raises:
        InvalidInput: If an argument has a wrong value, there is no such program, or there is no claim.
        ProgramFailed: If the program does not answer as the protocol says.

    Example:
        >>> import sys
        >>> from mlaudit.adapters.helpers import find_helper
        >>> served = f"{sys.executable} {find_helper('python')} random:gauss"
        >>> Program(served, Claim(1.0), params={"mu": 0.0, "sigma": 1.0}).traits.name
        'gauss'
    """

    command: str
    claim: Claim
    params: Mapping[str, Any]
    patience: float = field(metadata=_APART)
    facts: Facts = field(init=False, metadata=_APART)
    launch: Launch = field(init=False, metadata=_APART)
    files: str = field(init=False, metadata=_APART)

    def __init__(
        self,
        command: str,
        claim: Claim | None = None,
        params: Mapping[str, Any] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        words = read_command(text("command", command))
        require_program(words)
        if claim is not None:
            instance("claim", claim, Claim, "as in claim=Claim(1.0)")
        given = dict(mapping("params", {} if params is None else params))
        folder = str(Path.cwd())
        try:
            hello = write_hello(claim, given)
        except (TypeError, ValueError) as error:
            raise InvalidInput(f"params must be numbers, texts and lists of them, got: {error}") from None
        launch = Launch(words, folder, hello, positive("patience", patience))
        facts = say_hello(launch)
        parts = {
            "command": shlex.join(words),
            "claim": _settle_claim(shlex.join(words), claim, facts),
            "params": given,
            "patience": float(patience),
            "facts": facts,
            "launch": launch,
            "files": hash_files(words, folder),
        }
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    @property
    def traits(self) -> Traits:
        """What the program says of itself; its output does not depend on x*."""
        return Traits(
            name=self.facts.name or _name_after(self.launch),
            version=self.facts.version,
            uses_target=False,
            labels=self.facts.labels,
            targets=self.facts.targets,
        )

    def domain(self, data: Dataset) -> Domain | None:
        """The domain that the program declares, or that of the data.

        Args:
            data: The dataset D.

        Returns:
            The set in which the rows of D and of D′ must lie; None if every row is legal.
        """
        declared = self.facts.domain()
        return data.domain if declared is None else declared

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Ask for one training.

        Args:
            data: D or D′.
            seed: The seed of this training.

        Returns:
            The output that the program printed.

        Raises:
            ProgramFailed: If the program hangs or does not keep to the protocol.
        """
        return self.train_many(data, [seed]).calls[0]()

    def train_many(self, data: Dataset, seeds: Sequence[SeedSequence]) -> Trained:
        """Ask for one training per seed, in one request.

        Args:
            data: D or D′.
            seeds: The seeds of the trainings.

        Returns:
            A call for each training that returns its output or raises, and the CPU seconds of the program.

        Raises:
            ProgramFailed: If the program hangs or does not keep to the protocol.
        """
        return Trained(*train_many(self.launch, data, seeds))

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The output of the program.

        Args:
            model: The output that the program printed.
            target: Not used.

        Returns:
            The same numbers.
        """
        return model  # type: ignore[no-any-return]  # checked to be numbers where outcomes are observed

    def fingerprint_parts(self) -> object:
        """The command, the claim, the parameters, what the program says of itself, and the files that it names."""
        return self.command, self.claim, self.params, self.facts, self.files


def _settle_claim(command: str, given: Claim | None, facts: Facts) -> Claim:
    """The claim to audit; refuses one that the program contradicts."""
    stated = None if facts.claim is None else read_claim(facts.claim)
    if given is None and stated is None:
        raise InvalidInput(f"`{command}` must come with a claim, got none; give --epsilon, or claim=Claim(epsilon)")
    if given is None or stated is None:
        return given or stated  # type: ignore[return-value]  # one of them is there
    if stated.epsilon != given.epsilon:
        raise InvalidInput(
            f"`{command}` claims ε = {parameter(stated.epsilon)} by itself, got a claim of "
            f"{parameter(given.epsilon)}; leave --epsilon out, or let the program take the ε of the hello"
        )
    return given


def _name_after(launch: Launch) -> str:
    """The name of the first file that a command names, or else that of its program."""
    files = list_files(launch.words, launch.folder)
    return files[0].stem if files else os.path.basename(launch.words[0])
