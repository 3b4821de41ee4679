package dev.ebb.host.pool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The use and tenant of each block of a pool, at one moment. */
public class BlockMap<U extends Enum<U>> {

  private static final int NO_OWNER = -1;

  private final List<U> all;

  /** By block, the index of its use: a pool may have millions. */
  private final byte[] uses;

  /** By block, the index of its tenant's name; null until a tenant is assigned. */
  private int @Nullable [] owners;

  private final List<String> tenants = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();

  /**
   * Creates a map to be filled.
   *
   * @param all every use, at most 127
   * @param blocks the number of blocks, 0 or more
   */
  protected BlockMap(List<U> all, U first, int blocks) {
    this.all = all;
    uses = new byte[blocks];
    Arrays.fill(uses, (byte) all.indexOf(first));
  }

  public final void set(int block, U use) {
    uses[block] = (byte) all.indexOf(use);
  }

  /**
   * Sets the tenant of a block.
   *
   * @param tenant its user; null if unknown
   */
  public final void assign(int block, @Nullable String tenant) {
    if (tenant == null) {
      return;
    }
    if (owners == null) {
      owners = new int[uses.length];
      Arrays.fill(owners, NO_OWNER);
    }
    owners[block] =
        places.computeIfAbsent(
            tenant,
            added -> {
              tenants.add(added);
              return tenants.size() - 1;
            });
  }

  /** Returns the number of blocks, free or not. */
  public final int blocks() {
    return uses.length;
  }

  /** Returns all uses, in the order in which they are listed for readers. */
  public final List<U> uses() {
    return all;
  }

  public final U use(int block) {
    return all.get(uses[block]);
  }

  /** Returns how many blocks have a use. */
  public final int count(U use) {
    byte place = (byte) all.indexOf(use);
    int count = 0;
    for (byte each : uses) {
      count += each == place ? 1 : 0;
    }
    return count;
  }

  /** Returns the tenants that have blocks, as far as known: names, each once. */
  public final List<String> tenants() {
    return Collections.unmodifiableList(tenants);
  }

  /** Returns the tenant of a block: the index of the name in {@link #tenants}; -1 if unknown. */
  public final int tenant(int block) {
    return owners == null ? NO_OWNER : owners[block];
  }
}
