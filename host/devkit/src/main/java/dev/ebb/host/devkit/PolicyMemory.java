package dev.ebb.host.devkit;

import org.jspecify.annotations.Nullable;

/**
 * The heap that a block policy takes for each entry, without the entries themselves. Bytes; NaN if
 * the policy failed.
 *
 * @param bytesPerEntry when it is full for the first time
 * @param bytesPerEntryTurnedOver when all those have been replaced: with its ghosts
 * @param problem how it failed; null if it did not
 */
public record PolicyMemory(
    String policy,
    double bytesPerEntry,
    double bytesPerEntryTurnedOver,
    @Nullable String problem) {}
