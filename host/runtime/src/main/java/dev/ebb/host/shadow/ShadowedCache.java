package dev.ebb.host.shadow;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.EvictionLimits;
import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.PolicyClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The live cache, as shadows see it. Safe for use by many threads. */
public interface ShadowedCache {

  /**
   * A part with a policy instance of its own.
   *
   * @param name its name
   * @param capacityBlocks its capacity
   * @param residentBlocks blocks in use
   * @param entries resident entries
   */
  record Part(String name, long capacityBlocks, long residentBlocks, long entries) {}

  /** Hears of residents. */
  interface ResidentConsumer {
    /**
     * One resident, in any order.
     *
     * @param key lower 64 bits of its hash
     * @param blocks what it weighs
     * @param facts its last use
     * @param tick grows with each use of any entry
     */
    void accept(long key, long blocks, RequestFacts facts, long tick);
  }

  /**
   * The parts, always the same ones in the same order.
   *
   * @return at least one
   */
  List<Part> parts();

  /**
   * The policy in force.
   *
   * @return its name
   */
  String policy();

  /**
   * When it evicts ahead of demand.
   *
   * @return null if it does not
   */
  @Nullable EvictionLimits limits();

  /**
   * The time that entries record.
   *
   * @return the clock
   */
  PolicyClock clock();

  /**
   * Lets a tap hear of a part from now on.
   *
   * @param part its place in {@link #parts}
   * @param tap called under the part's lock
   */
  void add(int part, AccessListener tap);

  /**
   * Lets a tap hear no more.
   *
   * @param part its place in {@link #parts}
   * @param tap one that was added
   */
  void remove(int part, AccessListener tap);

  /**
   * Does something while no tap of the part is called.
   *
   * @param part its place in {@link #parts}
   * @param action quick
   */
  void locked(int part, Runnable action);

  /**
   * Tells of every entry that is resident when it begins; of others perhaps.
   *
   * @param part its place in {@link #parts}
   * @param consumer quick, and does not call back
   */
  void residents(int part, ResidentConsumer consumer);
}
