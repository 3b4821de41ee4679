package dev.ebb.host.pool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each block of a pool is used for, and by which tenant, at one moment.
 *
 * @param <U> uses
 */
public class BlockMap<U extends Enum<U>> {

  private static final int NOBODY = -1;

  private final List<U> all;

  /** By block, the place of its use: a pool may have millions. */
  private final byte[] uses;

  /** By block, the place of its tenant's name; null until somebody is named. */
  private int @Nullable [] owners;

  private final List<String> tenants = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();

  /**
   * A map to be filled in.
   *
   * @param all every use there is, at most 127
   * @param first what all blocks are used for until it is said otherwise
   * @param blocks how many there are, 0 or more
   */
  protected BlockMap(List<U> all, U first, int blocks) {
    this.all = all;
    uses = new byte[blocks];
    Arrays.fill(uses, (byte) all.indexOf(first));
  }

  /**
   * Says what a block is used for.
   *
   * @param block its number
   * @param use the use
   */
  public final void set(int block, U use) {
    uses[block] = (byte) all.indexOf(use);
  }

  /**
   * Says whose a block is.
   *
   * @param block its number
   * @param tenant who uses it; null if nobody knows
   */
  public final void assign(int block, @Nullable String tenant) {
    if (tenant == null) {
      return;
    }
    if (owners == null) {
      owners = new int[uses.length];
      Arrays.fill(owners, NOBODY);
    }
    owners[block] =
        places.computeIfAbsent(
            tenant,
            added -> {
              tenants.add(added);
              return tenants.size() - 1;
            });
  }

  /**
   * How many blocks there are.
   *
   * @return free or not
   */
  public final int blocks() {
    return uses.length;
  }

  /**
   * Every use there is.
   *
   * @return in the order in which they are listed for readers
   */
  public final List<U> uses() {
    return all;
  }

  /**
   * What a block is used for.
   *
   * @param block its number
   * @return the use
   */
  public final U use(int block) {
    return all.get(uses[block]);
  }

  /**
   * How many blocks have a use.
   *
   * @param use the use
   * @return blocks
   */
  public final int count(U use) {
    byte place = (byte) all.indexOf(use);
    int count = 0;
    for (byte each : uses) {
      count += each == place ? 1 : 0;
    }
    return count;
  }

  /**
   * Who has blocks, as far as it is known.
   *
   * @return names, each once
   */
  public final List<String> tenants() {
    return Collections.unmodifiableList(tenants);
  }

  /**
   * Whose a block is.
   *
   * @param block its number
   * @return the place of the name in {@link #tenants}; -1 if nobody knows
   */
  public final int tenant(int block) {
    return owners == null ? NOBODY : owners[block];
  }
}
