package dev.ebb.host.replay.tiers;

/**
 * A block that has left memory, or the disk.
 *
 * @param uses the requests that used it
 * @param profile the {@link UseProfile} of its last use
 * @param decided whether the admission rule was asked about it
 */
record Demotion(int uses, int profile, boolean decided) {}
