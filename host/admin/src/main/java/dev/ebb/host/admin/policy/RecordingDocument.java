package dev.ebb.host.admin.policy;

import java.util.List;

/**
 * Recorded accesses.
 *
 * @param accesses nanoseconds, bytes and tenant of each access, the number of its object groups,
 *     and the ids of its keys
 * @param groups the object groups of hybrid models so far, from number 1 on, with the ratio of
 *     their objects' sizes: {@code full:1,state:3}; 0 is a model with one
 */
public record RecordingDocument(List<long[]> accesses, List<String> groups, long lost) {

  /** Where the ids of an access begin. */
  public static final int IDS = 4;
}
