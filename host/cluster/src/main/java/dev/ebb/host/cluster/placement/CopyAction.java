package dev.ebb.host.cluster.placement;

import dev.ebb.host.cluster.directory.Change;
import java.util.Set;

/**
 * A step towards the copies that a value should have. Each may be repeated or come late: it names
 * the versions that it is valid for. Messages to a node are repeated until it answers or leaves. A
 * node that could not complete another action checks the value again, for the same reason.
 */
public sealed interface CopyAction {

  /**
   * The directory does not know the local truth.
   *
   * @param next the reason to decide again with the entry that the directory returns, or to check
   *     the value again if the directory does not answer
   */
  record Announce(Change change, CheckReason next) implements CopyAction {}

  /**
   * Offer the value to a node, which fetches it. Check the value again when it has arrived, or some
   * time after it could not.
   *
   * @param rackSafe whether the copies are on as many racks then as there should be copies
   */
  record Replicate(int node, boolean rackSafe) implements CopyAction {}

  /**
   * Remove the local copy, if it is not newer than a version. Then check the value again, as {@link
   * CheckReason#RECHECKED}.
   *
   * @param ifHeldBy nodes that have to confirm first that they have a valid copy, because the
   *     directory may be wrong after a partition. One that does not have it checks the value, and
   *     this node makes a {@link CheckReason#FULL_CHECK} instead
   */
  record DropLocal(long upToVersion, Set<Integer> ifHeldBy) implements CopyAction {

    public DropLocal {
      ifHeldBy = Set.copyOf(ifHeldBy);
    }
  }

  /** Ask a node to remove its copy, if it is not newer than a version, and to check the value. */
  record TellDrop(int node, long upToVersion) implements CopyAction {}

  /** Ask a node to check the value, even if it has no copy. */
  record Notify(int node) implements CopyAction {}

  /** Change the time at which the local copy expires. */
  record SetExpiry(long expiresAt) implements CopyAction {}
}
