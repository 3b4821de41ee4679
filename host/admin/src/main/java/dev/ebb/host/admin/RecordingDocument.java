package dev.ebb.host.admin;

import java.util.List;

/**
 * Recorded accesses.
 *
 * @param accesses nanoseconds, id, bytes and tenant of each access
 * @param lost how many accesses are missing since the start of the recording
 */
public record RecordingDocument(List<long[]> accesses, long lost) {}
