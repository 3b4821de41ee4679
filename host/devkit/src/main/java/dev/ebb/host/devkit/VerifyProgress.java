package dev.ebb.host.devkit;

/** Told how a verification gets on. */
@FunctionalInterface
public interface VerifyProgress {

  /**
   * Something begins.
   *
   * @param what in a few words
   * @param done steps of this part that are behind
   * @param total steps of this part
   */
  void at(String what, int done, int total);

  /**
   * Something was found.
   *
   * @param finding of one check, in the order they are made
   */
  default void found(VerifyFinding finding) {}
}
