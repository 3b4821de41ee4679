package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.BlockMoves;
import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.Slab;
import dev.ebb.host.pool.runs.RunAllocator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The KV blocks of one device: their memory, owners, references and pins.
 *
 * <p>Thread-safe: one lock guards the records, and compaction copies while it holds it. The number
 * of an unpinned block changes when the pool is compacted. So a component that keeps numbers either
 * pins the blocks, or follows with a {@link MoveListener} and uses the numbers within {@link
 * #atomically} only. The latter includes storing the numbers of new blocks, and removing the last
 * pin before freeing.
 */
public final class KvPool implements AutoCloseable {

  /** The default length below which a free run counts as fragmented. */
  public static final int DEFAULT_SHORT_RUN = 32;

  final Object lock = new Object();
  final CheckedAllocator checked;
  final BlockLedger ledger;
  final RunAllocator allocator;
  private final KvLayout layout;
  private final Slab slab;
  private final boolean ownsSlab;
  private final BlockMemory memory;
  private final PoolMovement movement;
  private boolean closed;

  private KvPool(KvLayout layout, Slab slab, int blocks, int shortRun, boolean ownsSlab) {
    this.layout = layout;
    this.slab = slab;
    this.ownsSlab = ownsSlab;
    checked = new CheckedAllocator(slab.device().name(), blocks, shortRun);
    ledger = checked.ledger;
    allocator = checked.allocator;
    memory = new BlockMemory(this, slab);
    movement = new PoolMovement(this, shortRun);
  }

  /**
   * Returns the same as {@link #open(KvLayout, Device, long, int)}, for {@link #DEFAULT_SHORT_RUN}.
   */
  public static KvPool open(KvLayout layout, Device device, long bytes) {
    return open(layout, device, bytes, DEFAULT_SHORT_RUN);
  }

  /**
   * Reserves a device's memory for a pool.
   *
   * @param device the device of the pool, which outlives it
   * @param bytes the memory to use; a partial block is not used
   * @param shortRun the length in blocks below which a free run counts as fragmented
   * @throws DeviceException if the memory does not fit, or not one block into it
   */
  public static KvPool open(KvLayout layout, Device device, long bytes, int shortRun) {
    int blocks = layout.poolBlocks(bytes);
    Slab slab = device.reserve((long) blocks * layout.blockBytes());
    return new KvPool(layout, slab, blocks, shortRun, true);
  }

  /**
   * Creates a pool in memory that is reserved already.
   *
   * @param slab the memory, which outlives the pool; a partial block is not used
   * @throws DeviceException if not one block fits into it
   */
  public static KvPool in(KvLayout layout, Slab slab) {
    return new KvPool(layout, slab, layout.poolBlocks(slab.bytes()), DEFAULT_SHORT_RUN, false);
  }

  /**
   * Runs work under the pool's lock: no block moves meanwhile and no other thread intervenes.
   *
   * @param work calls this pool, and waits for nothing
   */
  public <T extends @Nullable Object> T atomically(Supplier<T> work) {
    synchronized (lock) {
      return work.get();
    }
  }

  /** Returns the shape of a block. */
  public KvLayout layout() {
    return layout;
  }

  /** Returns the device of the pool. */
  public Device device() {
    return slab.device();
  }

  /** Returns the blocks' bytes, usable until the pool is closed. */
  public BlockMemory memory() {
    return memory;
  }

  /** Returns the compaction, usable until the pool is closed. */
  public PoolMovement movement() {
    return movement;
  }

  /** Returns the number of blocks, free or not. */
  public int blocks() {
    return allocator.blocks();
  }

  /** Returns how many blocks are free now: 0 to {@code blocks()}. */
  public int freeBlocks() {
    synchronized (lock) {
      return allocator.freeBlocks();
    }
  }

  /**
   * Allocates blocks, each with one reference. Their content is unspecified.
   *
   * @param count at least 1
   * @return numbers in the pool; rising by one if a run was asked for
   * @throws PoolFullException if they are not free, or not in one run; nothing is taken then
   * @throws DeviceException if the device is lost
   */
  public int[] allocate(BlockOwner owner, int count, Placement placement) {
    requireNonNull(owner, "owner is null");
    requireNonNull(placement, "placement is null");
    if (count < 1) {
      throw new IllegalArgumentException("count '%d' must be at least 1".formatted(count));
    }
    synchronized (lock) {
      checkOpen();
      device().requireUsable();
      return checked.allocate(owner, count, placement);
    }
  }

  /**
   * Allocates scattered blocks without heap allocation, for callers on the path of every token.
   *
   * @param into receives the blocks from index 0 on, each with one reference
   * @param count how many, 1 to the array's length
   * @throws PoolFullException if they are not free; nothing is taken then
   * @throws DeviceException if the device is lost
   */
  public void allocate(BlockOwner owner, int[] into, int count) {
    requireNonNull(owner, "owner is null");
    if (count < 1 || count > into.length) {
      throw new IllegalArgumentException(
          "count '%d' must be from 1 to %d".formatted(count, into.length));
    }
    synchronized (lock) {
      checkOpen();
      device().requireUsable();
      checked.allocate(owner, into, count);
    }
  }

  /**
   * Allocates a sequence's maximum ahead of its use.
   *
   * @param count the most blocks it can need, at least 1
   * @return the blocks, to be taken one after the other
   * @throws PoolFullException if they are not free, or not in one run
   */
  public Reservation reserve(BlockOwner owner, int count, Placement placement) {
    synchronized (lock) {
      return new Reservation(this, allocate(owner, count, placement));
    }
  }

  /**
   * Adds one user.
   *
   * @throws BlockMisuseException if it is not allocated
   */
  public void share(int block) {
    synchronized (lock) {
      ledger.share(checked.checkAllocated(block, "shared"));
    }
  }

  /**
   * Changes the owner of a block.
   *
   * @throws BlockMisuseException if it is not allocated
   */
  public void assign(int block, BlockOwner owner) {
    requireNonNull(owner, "owner is null");
    synchronized (lock) {
      ledger.assign(checked.checkAllocated(block, "assigned"), owner);
    }
  }

  /**
   * Makes a block writable for one of its users. That is the block itself if there is no other
   * user. Otherwise it is a copy, and the user's reference to the block is released.
   *
   * @throws PoolFullException if it must be copied and no block is free
   * @throws BlockMisuseException if it is not allocated
   */
  public int writable(int block, BlockOwner owner) {
    requireNonNull(owner, "owner is null");
    synchronized (lock) {
      checked.checkAllocated(block, "written");
      ledger.touch(block);
      if (ledger.references(block) == 1) {
        return block;
      }
      int copy = allocator.allocate(1);
      if (copy == RunAllocator.NONE) {
        throw checked.full(owner, 1);
      }
      try {
        BlockMoves moves = new BlockMoves(1);
        moves.add(block, copy);
        slab.copyBlocks(moves, layout.blockBytes());
      } catch (DeviceException failed) {
        allocator.free(copy, 1);
        throw failed;
      }
      ledger.allocated(copy, owner, false);
      ledger.release(block);
      return copy;
    }
  }

  /**
   * Releases one reference to each block; those without further users become free. All or none.
   *
   * @throws BlockMisuseException if one is free, not in the pool, released more often than it has
   *     references, or freed while pinned. The message names its owner
   */
  public void free(int... blocks) {
    synchronized (lock) {
      checked.free(blocks);
    }
  }

  /**
   * Releases one reference to a block, as {@link #free(int...)} does.
   *
   * @throws BlockMisuseException as there
   */
  public void free(int block) {
    synchronized (lock) {
      checked.free(block);
    }
  }

  /**
   * Returns how many users a block has.
   *
   * @return 0 if it is free
   * @throws BlockMisuseException if there is no such block
   */
  public int references(int block) {
    synchronized (lock) {
      checked.checkNumber(block);
      return ledger.references(block);
    }
  }

  /**
   * Keeps a block allocated and in place until it is unpinned as often as pinned.
   *
   * @throws BlockMisuseException if it is not allocated
   */
  public void pin(int block) {
    synchronized (lock) {
      ledger.pin(checked.checkAllocated(block, "pinned"));
    }
  }

  /**
   * Removes one pin.
   *
   * @throws BlockMisuseException if it has no pin
   */
  public void unpin(int block) {
    synchronized (lock) {
      checked.unpin(block);
    }
  }

  /**
   * Returns the state of one block.
   *
   * @throws BlockMisuseException if there is no such block
   */
  public BlockInfo info(int block) {
    synchronized (lock) {
      return checked.info(block);
    }
  }

  /**
   * Returns the owners of blocks.
   *
   * @return one for each owner; those that should have freed theirs have leaked them
   */
  public List<Leak> held() {
    synchronized (lock) {
      return ledger.held();
    }
  }

  /** Returns the pool's statistics. */
  public PoolStats stats() {
    synchronized (lock) {
      return checked.stats(layout.blockBytes());
    }
  }

  /** Frees the memory, even if blocks are still allocated; {@link #held} lists them. */
  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      if (ownsSlab) {
        slab.close();
      }
    }
  }

  Slab slab() {
    return slab;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the pool on '%s' is closed".formatted(device().name()));
    }
  }
}
