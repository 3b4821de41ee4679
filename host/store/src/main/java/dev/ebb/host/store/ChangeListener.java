package dev.ebb.host.store;

/**
 * Receives the keys whose values changed: the value itself, the metadata of a chunk or the expiry,
 * or that it was removed, whatever the cause. One change may be reported several times, and no
 * change is missed.
 *
 * <p>Called while a part of the store is locked: implementations return quickly, do not wait, and
 * do not call the store.
 */
@FunctionalInterface
public interface ChangeListener {

  ChangeListener NONE = mainKey -> {};

  /**
   * Reports a changed value.
   *
   * @param mainKey its key; for the metadata of a chunk, the key of the chunk's bytes. Of a chunk
   *     with a value for each rank, each rank's key is reported by itself. Not to be changed
   */
  void changed(byte[] mainKey);

  /**
   * Reports that copies of a value outside the store are not valid any more: a client has replaced,
   * changed or removed it, or it has expired. An eviction is not reported.
   */
  default void outdated(byte[] mainKey) {}

  default ChangeListener and(ChangeListener other) {
    ChangeListener first = this;
    return new ChangeListener() {
      @Override
      public void changed(byte[] mainKey) {
        first.changed(mainKey);
        other.changed(mainKey);
      }

      @Override
      public void outdated(byte[] mainKey) {
        first.outdated(mainKey);
        other.outdated(mainKey);
      }
    };
  }
}
