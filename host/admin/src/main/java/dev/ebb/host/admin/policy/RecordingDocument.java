package dev.ebb.host.admin.policy;

import java.util.List;

/**
 * Recorded accesses.
 *
 * @param accesses nanoseconds, bytes and tenant of each access, and the ids of its keys
 * @param lost how many accesses are missing since the start of the recording
 */
public record RecordingDocument(List<long[]> accesses, long lost) {

  /** Where the ids of an access begin. */
  public static final int IDS = 3;
}
