"""Features of an output whose sum gives the log-odds of common kinds of noise."""

from dataclasses import dataclass, field

import numpy as np

from mlaudit.classifiers._near_noise_ratio import NearNoiseRatio, fit_near_noise_ratio
from mlaudit.classifiers._noise_ratio import NoiseRatio, fit_noise_ratio
from mlaudit.classifiers._scaling import location_scale, scale_robustly
from mlaudit.types.arrays import FloatArray, IntArray, take_columns
from mlaudit.types.quantiles import find_quantiles
from mlaudit.types.shift import PairedShift

LINEAR, SOFT, MIDDLE, DIRECTION, SIZE = "linear", "soft sign", "middle clip", "direction", "size"
PAIRED = "shift from common seeds"
RATIO = "noise about a shift from common seeds"
_SOFT, _MIDDLE = 0.12, 0.5  # quantiles of |u| at which the two clipped kinds are clipped
_LEAST = 1e-3  # width of a clip: half of the values may be equal
_FAR = 5.0  # beyond which a coordinate does not lengthen the vector for its direction
_MOST = 250  # features of single coordinates: each one costs memory and time in every draw
_ENOUGH = 5000  # rows for widths and for screening
_EXACT = 1e-6  # spread of paired differences, in units of the noise, up to which noise is simply added


@dataclass(frozen=True, eq=False)
class ShiftFeatures:
    """Log-ratios of Laplace, normal and spherical noise about two centres whose distance is known.

    `parts` are groups of columns, each with its own features: first those where noise is simply added.
    """

    center: FloatArray
    scale: FloatArray
    shift: FloatArray  # in units of `scale`
    soft: FloatArray
    parts: tuple[IntArray, ...]

    def __call__(self, u: FloatArray) -> FloatArray:
        """A few numbers per row of scaled outputs."""
        found = []
        for part in self.parts:
            v, shift = u[:, part], self.shift[part]
            half = np.abs(shift) / 2
            found.append(2 * (np.clip(v, -half, half) @ np.sign(shift)))
            found.append(np.clip(v / self.soft[part], -1.0, 1.0) @ shift)
            found.append(v @ shift)
        along, square, far = u @ self.shift, np.square(u).sum(axis=1), float(np.square(self.shift).sum()) / 4
        found.append(np.sqrt(np.maximum(square + along + far, 0.0)) - np.sqrt(np.maximum(square - along + far, 0.0)))
        return np.stack(found, axis=1)


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Outputs as standardised features: several kinds for each of some `columns`, and those of a known shift.

    The log-ratio of normal noise is linear, that of Laplace noise a line clipped at both ends, and that of spherical
    noise follows the direction of the output.
    """

    columns: IntArray
    center: FloatArray
    scale: FloatArray
    soft: FloatArray
    middle: FloatArray
    kinds: tuple[str, ...]
    shift: ShiftFeatures | None
    mean: FloatArray
    deviation: FloatArray
    ratio: NoiseRatio | NearNoiseRatio | None = field(default=None, metadata={"in_files": "if given"})

    def __call__(self, z: FloatArray) -> FloatArray:
        """One row of features per output; the first is 1."""
        out = np.empty((len(z), len(self.mean) + 1))
        out[:, 0] = 1.0
        features = np.concatenate(self._parts(z), axis=1, out=out[:, 1:])
        features -= self.mean
        features /= self.deviation
        return out

    def raw(self, z: FloatArray) -> FloatArray:
        """The features before they are standardised."""
        return np.concatenate(self._parts(z), axis=1)

    def _parts(self, z: FloatArray) -> list[FloatArray]:
        """The features of each kind."""
        every = self.shift is None or len(self.columns) < z.shape[1]
        u = scale_robustly(take_columns(z, self.columns) if every else z, self.center, self.scale)
        parts = [_expand(u, kind, self.soft, self.middle) for kind in self.kinds if kind not in (PAIRED, RATIO)]
        if self.shift is not None:
            parts.append(self.shift(scale_robustly(z, self.shift.center, self.shift.scale) if every else u))
        if self.ratio is not None:
            parts.append(self.ratio(z)[:, None])
        return parts

    @property
    def slices(self) -> dict[str, slice]:
        """Where the features of each kind are; the first feature, 1, belongs to none."""
        d, found, at = len(self.columns), {}, 1
        widths = {RATIO: 1, PAIRED: len(self.mean) - (self.ratio is not None)}
        for kind in self.kinds:
            width = widths[kind] + 1 - at if kind == PAIRED else widths.get(kind, d)
            found[kind] = slice(at, at + width)
            at += width
        return found


def make_features(
    z: FloatArray, labels: IntArray, known: PairedShift | None, before: FeatureMap | None = None
) -> FeatureMap:
    """Choose columns, kinds and widths on these outputs.

    There is a log-ratio of noise only if there was one `before`: members of a model keep their past losses.
    """
    few, few_labels = z[:_ENOUGH], labels[:_ENOUGH]
    columns = screen_columns(few, few_labels, known, _MOST)
    # The outputs, moved half the shift towards each other: location and scale of the noise alone.
    noise = few if known is None else few - np.where(few_labels == 1, 0.5, -0.5)[:, None] * known.shift
    told = noise if known is not None else noise[:, columns]
    center, scale = location_scale(told)
    size = np.abs(scale_robustly(told, center, scale))
    shift = None if known is None else _make_shift(known, center, scale, size)
    if known is not None:
        center, scale, size = center[columns], scale[columns], size[:, columns]
    soft, middle = (np.maximum(found, _LEAST) for found in find_quantiles(size, (_SOFT, _MIDDLE)))
    ratio = None if known is None else fit_noise_ratio(noise, known) or fit_near_noise_ratio(noise, known)
    if before is not None:
        ratio = None if before.ratio is None else ratio or before.ratio
    kinds = (
        *_affordable_kinds(len(columns)),
        *(() if shift is None else (PAIRED,)),
        *(() if ratio is None else (RATIO,)),
    )
    none = np.zeros(0)
    raw = FeatureMap(columns, center, scale, soft, middle, kinds, shift, none, none, ratio).raw(few)
    mean, deviation = raw.mean(axis=0), raw.std(axis=0)
    deviation = np.where(deviation > _EXACT, deviation, 1.0)
    return FeatureMap(columns, center, scale, soft, middle, kinds, shift, mean, deviation, ratio)


def screen_columns(z: FloatArray, labels: IntArray, known: PairedShift | None, most: int) -> IntArray:
    """Return the columns that differ most between the labels, or shift most; all of them if there are few.

    >>> z = np.array([[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 9.0, 5.0], [1.0, 9.5, 5.0]])
    >>> screen_columns(z, np.array([0, 0, 1, 1]), None, 1)
    array([1])
    """
    width = z.shape[1]
    if width <= most:
        return np.arange(width)
    center, scale = location_scale(z)
    u = np.clip(scale_robustly(z, center, scale), -_FAR, _FAR)
    soft = np.clip(u, -_SOFT, _SOFT)
    gaps = [np.abs(_standardised_gap(part, labels)) for part in (u, soft)]
    gap = np.maximum(*gaps)
    if known is not None:
        gap = gap + np.sqrt(len(z)) * np.abs(known.shift / scale)
    # Rounded: columns that differ alike must come in the same order on every processor.
    return np.sort(np.argsort(-np.round(gap, 9), kind="stable")[:most])


def _standardised_gap(u: FloatArray, labels: IntArray) -> FloatArray:
    gap = u[labels == 1].mean(axis=0) - u[labels == 0].mean(axis=0)
    spread = u.std(axis=0)
    return np.asarray(np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0) * np.sqrt(len(u)) / 2)


def _affordable_kinds(width: int) -> tuple[str, ...]:
    """As many kinds as there is room for; the direction of one number says no more than its soft sign."""
    ladder = ((LINEAR, SIZE, SOFT, MIDDLE, DIRECTION), (LINEAR, SIZE), (LINEAR,))
    kinds = next((kinds for kinds in ladder if len(kinds) * width <= _MOST), ladder[-1])
    return tuple(kind for kind in kinds if kind != DIRECTION or width > 1)


def _expand(u: FloatArray, kind: str, soft: FloatArray, middle: FloatArray) -> FloatArray:
    if kind == LINEAR:
        return u
    if kind in (SOFT, MIDDLE):
        width = soft if kind == SOFT else middle
        return np.asarray(np.clip(u, -width, width))
    if kind == SIZE:
        return np.minimum(np.abs(u), _FAR)
    length = np.sqrt(np.square(np.clip(u, -_FAR, _FAR)).sum(axis=1, keepdims=True) + _EXACT)
    return np.asarray(u / length * np.sqrt(u.shape[1]))


def _make_shift(known: PairedShift, center: FloatArray, scale: FloatArray, size: FloatArray) -> ShiftFeatures | None:
    """Make the features of a shift; `size` is that of the noise of every output in units of `scale`."""
    shift = known.shift / scale
    if not np.isfinite(shift).all() or not shift.any():
        return None
    soft = np.maximum(find_quantiles(size, (_SOFT,))[0], _LEAST)
    exact = known.spread <= _EXACT * scale
    parts = [np.flatnonzero(mine & (shift != 0)) for mine in (exact, ~exact)]
    return ShiftFeatures(center, scale, shift, soft, tuple(part for part in parts if len(part)))
