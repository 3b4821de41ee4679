package dev.ebb.host.cluster;

/**
 * A move of values to another node.
 *
 * @param target the name of the node
 * @param values how many there are
 * @param valuesMoved how many have arrived
 * @param valuesFailed how many stay where they are
 * @param error why the last one failed; empty if none did
 */
public record NodeMigration(
    long id,
    String target,
    State state,
    long values,
    long valuesMoved,
    long valuesFailed,
    long bytesMoved,
    double seconds,
    String error) {

  public enum State {
    COPYING,
    DONE,
    FAILED
  }
}
