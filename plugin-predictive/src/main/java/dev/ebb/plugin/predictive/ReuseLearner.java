package dev.ebb.plugin.predictive;

import dev.ebb.spi.Request;

/**
 * Lets the model learn which blocks were used again, resident ones and ghosts. Uses of one cohort
 * in a row are learned as one.
 */
final class ReuseLearner {

  private final Cohorts cohorts;
  private final Ghosts ghosts;
  private final SupersededPrompt superseded;
  private int cohort = Cohorts.NONE;
  private int blocks;
  private long ghostHits;

  /** The result of the last count of {@link #known}, and the last of those blocks. */
  private int knownBlocks;

  private long lastKnown;

  ReuseLearner(Cohorts cohorts, Ghosts ghosts, SupersededPrompt superseded) {
    this.superseded = superseded;
    this.cohorts = cohorts;
    this.ghosts = ghosts;
  }

  /** Records that a block was used, which leaves its cohort. */
  void used(int itsCohort) {
    if (itsCohort != cohort) {
      flush();
      cohort = itsCohort;
    }
    blocks++;
  }

  /** Lets the model learn the uses so far. To be called before a block enters a cohort. */
  void flush() {
    if (blocks > 0) {
      cohorts.reused(cohort, blocks);
    }
    blocks = 0;
    cohort = Cohorts.NONE;
  }

  /** Finds the ghosts that continue the matched blocks of a request. */
  void recall(RunningRequest request) {
    while (request.known() < request.blocks()) {
      int ghost = ghosts.find(request.fingerprint(request.known()));
      if (ghost < 0) {
        break;
      }
      superseded.uses(ghosts.cohort(ghost));
      request.knowGhost(recall(ghost));
    }
    flush();
  }

  /** Returns how often a new block had been used before it was removed; 0 if it is not a ghost. */
  int usesBefore(long fingerprint) {
    int ghost = ghosts.find(fingerprint);
    if (ghost < 0) {
      return 0;
    }
    int uses = recall(ghost);
    flush();
    return uses;
  }

  /**
   * Returns how many leading blocks of a request that has not begun are resident or ghosts. Learns
   * nothing.
   */
  int known(Request request) {
    int blocks = request.blocks();
    int found = request.matched();
    if (knownBlocks > found
        && knownBlocks <= blocks
        && request.fingerprint(knownBlocks - 1) == lastKnown) {
      found = knownBlocks;
    }
    while (found < blocks && ghosts.find(request.fingerprint(found)) >= 0) {
      found++;
    }
    knownBlocks = found;
    lastKnown = found == 0 ? 0 : request.fingerprint(found - 1);
    return found;
  }

  /** Returns how often a block had been used before it was removed; 0 if it is not a ghost. */
  int ghostUses(long fingerprint) {
    int ghost = ghosts.find(fingerprint);
    return ghost < 0 ? 0 : ghosts.uses(ghost);
  }

  private int recall(int ghost) {
    ghostHits++;
    int uses = ghosts.uses(ghost);
    used(ghosts.cohort(ghost));
    ghosts.drop(ghost);
    return uses;
  }

  long ghostHits() {
    return ghostHits;
  }
}
