package dev.ebb.host.store.chain;

import org.jspecify.annotations.Nullable;

/** The links of values, which only their package knows. */
public final class Links {

  public static final long NONE = Predecessors.NONE;

  private Links() {}

  @SuppressWarnings("unchecked")
  private static <V extends ChainedValue> @Nullable V of(@Nullable ChainedValue linked) {
    return (V) linked;
  }

  public static <V extends ChainedValue> @Nullable V parent(V value) {
    return of(value.parent);
  }

  public static <V extends ChainedValue> @Nullable V firstChild(V value) {
    return of(value.firstChild);
  }

  public static <V extends ChainedValue> @Nullable V nextSibling(V value) {
    return of(value.nextSibling);
  }

  public static <V extends ChainedValue> @Nullable V previousSibling(V value) {
    return of(value.previousSibling);
  }

  public static long predecessor(ChainedValue value) {
    return value.predecessor;
  }

  public static boolean isReachable(ChainedValue value) {
    return value.reachable;
  }

  public static boolean isHeld(ChainedValue value) {
    return value.holds > 0;
  }

  public static boolean isGrouped(ChainedValue value) {
    return value.group != null;
  }

  /** Returns whether a value is missing in its group. */
  public static boolean isOutsideOfGroup(ChainedValue value) {
    return value.group != null && !value.group.contains(value);
  }

  public static @Nullable ObservedRequest request(ChainedValue value) {
    return value.request;
  }

  public static @Nullable ObservedRequest served(ChainConnection connection) {
    return connection.request;
  }

  public static long unpublishedUnits(Chains chains) {
    return chains.unpublishedUnits;
  }
}
