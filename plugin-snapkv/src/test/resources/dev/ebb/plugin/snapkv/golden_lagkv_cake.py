"""Computes the golden vectors of LagKV (arXiv 2504.04704) and CAKE (arXiv 2503.12491).

Straight from the formulas of the papers, with NumPy, without any code of Ebb. Usage:
python golden_lagkv_cake.py, in this folder; writes lagkv.json and cake.json.
"""

import json

import numpy as np


def rounded(array):
    """Values as float32, which JSON holds exactly."""
    return np.asarray(array, dtype=np.float32).astype(np.float64)


def lagkv(keys, values, sinks, lag):
    """Scores [heads][length]; 1 for tokens that are always kept."""
    heads, length, _ = keys.shape
    scores = np.ones((heads, length))
    partitions = (length - sinks) // lag

    def relative(rows, p):
        this = rows[:, sinks + p * lag : sinks + (p + 1) * lag]
        following = rows[:, sinks + (p + 1) * lag : sinks + (p + 2) * lag]
        low = following.min(axis=1, keepdims=True)
        high = following.max(axis=1, keepdims=True)
        deviation = ((this - low) / (high - low)).std(axis=2, ddof=1)
        weights = np.exp(deviation)
        return weights / weights.sum(axis=1, keepdims=True)

    for p in range(partitions - 1):
        both = (relative(keys, p) + relative(values, p)) / 2
        rank = both.argsort(axis=1).argsort(axis=1)
        scores[:, sinks + p * lag : sinks + (p + 1) * lag] = rank / lag
    return scores


def cake_indicator(attention, kv_heads, gamma, kernel):
    """Scores [kv heads][length - window] of attention [query heads][window][length]."""
    heads, window, length = attention.shape
    before = attention[:, :, : length - window]
    indicator = before.mean(axis=1) + gamma * before.var(axis=1, ddof=1)
    half = kernel // 2
    padded = np.pad(indicator, ((0, 0), (half, half)))
    pooled = np.stack([padded[:, i : i + length - window] for i in range(kernel)]).mean(axis=0)
    return pooled.reshape(kv_heads, heads // kv_heads, -1).mean(axis=1)


def cake_preference(attention, tau1, tau2):
    _, window, length = attention.shape
    before = attention[:, :, : length - window]
    dispersion = -(before * np.log(before + 1e-10)).sum()
    shift = before.var(axis=1, ddof=1).sum()
    return dispersion ** (1 / tau1) * shift ** (1 / tau2)


def cake_budgets(preferences, size, window, length):
    """Tokens of each layer, the window included."""
    total = (size - window) * len(preferences)
    shares = np.minimum((preferences / preferences.sum() * total).astype(int), length - window)
    left = total - shares.sum()
    while left > 0 and (shares < length - window).any():
        open_layers = np.flatnonzero(shares < length - window)
        more = left // len(open_layers)
        for at, layer in enumerate(open_layers):
            extra = min(more if more > 0 else int(at < left), length - window - shares[layer])
            shares[layer] += extra
        left = total - shares.sum()
    return (shares + window).tolist()


def main():
    random = np.random.default_rng(7)
    sinks, lag, heads, size = 4, 8, 2, 8
    length = sinks + 5 * lag + 3
    keys = rounded(random.normal(size=(heads, length, size)))
    values = rounded(random.normal(size=(heads, length, size)) * random.uniform(0.2, 3, size))
    with open("lagkv.json", "w", encoding="ascii") as file:
        json.dump(
            {
                "sinks": sinks,
                "lag": lag,
                "kvHeads": heads,
                "length": length,
                "headDimension": size,
                "keys": keys.ravel().tolist(),
                "values": values.ravel().tolist(),
                "scores": lagkv(keys, values, sinks, lag).ravel().tolist(),
            },
            file,
        )
        file.write("\n")

    layers, heads, kv_heads, window, length, gamma, kernel = 5, 4, 2, 4, 28, 200, 5
    logits = random.normal(size=(layers, heads, window, length))
    logits *= np.array([0.2, 2.5, 1, 4, 0.6])[:, None, None, None]
    future = np.triu(np.ones((window, length)), length - window + 1) > 0
    weights = np.where(future, 0, np.exp(logits))
    attention = rounded(weights / weights.sum(axis=-1, keepdims=True))
    taus = [[1, 1], [1.6, 0.4], [0.5, 3]]
    preferences = [
        np.array([cake_preference(layer, tau1, tau2) for layer in attention])
        for tau1, tau2 in taus
    ]
    with open("cake.json", "w", encoding="ascii") as file:
        json.dump(
            {
                "window": window,
                "kernel": kernel,
                "gamma": gamma,
                "layers": layers,
                "queryHeads": heads,
                "kvHeads": kv_heads,
                "length": length,
                "attention": [layer.ravel().tolist() for layer in attention],
                "scores": [
                    cake_indicator(layer, kv_heads, gamma, kernel).ravel().tolist()
                    for layer in attention
                ],
                "cases": [
                    {
                        "tau1": tau1,
                        "tau2": tau2,
                        "preferences": preference.tolist(),
                        "budgets": {
                            str(kept): cake_budgets(preference, kept, window, length)
                            for kept in (6, 10, 16, 22, 27)
                        },
                    }
                    for (tau1, tau2), preference in zip(taus, preferences)
                ],
            },
            file,
        )
        file.write("\n")


if __name__ == "__main__":
    main()
