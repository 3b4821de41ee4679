package dev.ebb.host.devkit;

/** Receives the progress of a verification. */
@FunctionalInterface
public interface VerifyProgress {

  /** Reports a step. */
  void at(String what, int done, int total);

  /**
   * Reports a finding.
   *
   * @param finding of one check, in the order they are made
   */
  default void found(VerifyFinding finding) {}
}
