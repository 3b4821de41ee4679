package dev.ebb.host.store.chain;

import dev.ebb.host.store.tile.LookupBatch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A client, as far as its connections are known to be of one: one of them stored the chunk that a
 * lookup on another one had missed. Guarded by the lock of its partition.
 */
final class ChainClient {

  private static final int LEAST_VOTES = 3;

  /** Keys that another client missed are at least the nth part of those that are stored. */
  private static final int LEAST_SHARE = 16;

  /** The same for two clients of several connections each: as parts of one, they share more. */
  private static final int LEAST_SHARE_OF_MANY = 12;

  private static final int MANY = 4;

  private static final int MOST_STORES = 1 << 10;

  /** The shares of mixed prompts above which, and below which, chunks are on their own or not. */
  private static final double MOST_MIXED = 0.1;

  private static final double FEW_MIXED = 0.01;
  private static final double MIX_WEIGHT = 1.0 / 64;

  /** The shares of prompts not in tiles above which, and below which, it cuts none or does. */
  private static final double MOST_UNTILED = 0.5;

  private static final double FEW_UNTILED = 0.25;
  private static final double TILE_WEIGHT = 1.0 / 16;

  private static final double ORDERED = 0.2;
  private static final double ORDER_WEIGHT = 1.0 / 64;

  private final MissedKeys owner;

  /** The share of assumed places of tiles that proved right, lately. */
  private double order = 1;

  /** The share of its prompts that were looked up while others were in flight, lately. */
  private double mixed;

  private boolean mixes;

  /** The share of its prompts whose connections did not send whole tiles, lately. */
  private double untiled;

  private boolean cutsNoTiles;

  /** How many of the keys that it stored lately each other client had missed. */
  private final Map<ChainClient, Integer> votes = new HashMap<>();

  /** Keys that it stored lately, and that any client had missed. */
  private int stores;

  /** The client that this one proved to be; null while it is on its own. */
  private @Nullable ChainClient same;

  /** What it stores values for, if it uses several connections. */
  @Nullable ObservedRequest storing;

  /** The prompts that it looks up at present, all chunks of each at once; oldest first. */
  final Deque<LookupBatch> batches = new ArrayDeque<>();

  /** Its last requests whose chunks it looked up at once. */
  final Deque<ObservedRequest> recent = new ArrayDeque<>();

  int connections = 1;

  /** It has several connections: what each looks up does not show what it stores. */
  boolean pooled;

  ChainClient(MissedKeys owner) {
    this.owner = owner;
  }

  /** Returns whether it starts tiles in the order of their prompt, so that order can be assumed. */
  boolean isOrdered() {
    return order > ORDERED;
  }

  /** Records whether an assumed place of a tile has proved right. */
  void assumed(boolean right) {
    order += ORDER_WEIGHT * ((right ? 1 : 0) - order);
  }

  void lookedUp(LookupBatch batch) {
    mixed += MIX_WEIGHT * ((batch.isMixed() ? 1 : 0) - mixed);
    mixes = mixed > (mixes ? FEW_MIXED : MOST_MIXED);
    if (!batch.isMixed() && batch.medianSent() > 1) {
      untiled += TILE_WEIGHT * ((batch.isInTiles(connections) ? 0 : 1) - untiled);
      cutsNoTiles = untiled > (cutsNoTiles ? FEW_UNTILED : MOST_UNTILED);
    }
  }

  /**
   * Returns over how many connections it spreads the tiles of a prompt. A client that sends each
   * key over whichever connection is free has as many tiles as keys.
   */
  int workers() {
    return cutsNoTiles ? Integer.MAX_VALUE : connections;
  }

  /**
   * Returns whether it has several prompts in flight, so that it is not known which of its chunks
   * are of one prompt. Taking each as an object of its own is better than wrong chains.
   */
  boolean mixesPrompts() {
    return mixes;
  }

  boolean isOf(MissedKeys keys) {
    return owner == keys;
  }

  /** Returns the client that this one and others have proved to be. */
  ChainClient known() {
    ChainClient last = this;
    while (last.same != null) {
      last = last.same;
    }
    // Later searches are short.
    if (same != null) {
      same = last;
    }
    return last;
  }

  /**
   * Records that this client stored a key that another one had missed. They are the same if that is
   * often so: different clients compute the same chunk at the same time now and then.
   */
  void storesFor(ChainClient other) {
    ChainClient own = known();
    ChainClient owner = other.known();
    own.stores++;
    if (own == owner) {
      return;
    }
    int votes = own.votes.merge(owner, 1, Integer::sum);
    boolean many = own.connections >= MANY && owner.connections >= MANY;
    int share = many ? LEAST_SHARE_OF_MANY : LEAST_SHARE;
    if (votes >= LEAST_VOTES && votes * share >= own.stores) {
      owner.join(own);
    } else if (own.stores > MOST_STORES) {
      own.stores /= 2;
      own.votes.replaceAll((any, count) -> count / 2);
      own.votes.values().removeIf(count -> count == 0);
    }
  }

  void join(ChainClient other) {
    ChainClient into = known();
    ChainClient from = other.known();
    if (into != from) {
      from.same = into;
      from.storing = null;
      from.votes.clear();
      into.votes.clear();
      into.stores = 0;
      into.connections += from.connections;
      into.pooled = true;
      // What a part of a client did looks mixed, because the other parts are missing.
      into.mixed = 0;
      into.mixes = false;
      into.untiled = 0;
      into.cutsNoTiles = false;
    }
  }
}
