package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Short scripts about the life of an entry in a policy, each at several sizes. */
final class LifeChecks {

  private static final int[] SIZES = {1, 2, 3, 10, 100};
  private static final long SPARE = 4;
  private static final int RELEASED = 100;
  private static final int ALL = Integer.MAX_VALUE;

  private final BlockPolicyProvider provider;
  private final CheckSettings settings;

  LifeChecks(BlockPolicyProvider provider, CheckSettings settings) {
    this.provider = provider;
    this.settings = settings;
  }

  String empty(long seed) {
    Scene scene = Scene.open(provider, settings, 10, seed);
    for (int round = 0; round < 3; round++) {
      scene.drain();
      scene.referee.gauges();
      scene.referee.began(TestRequest.of(1, 2));
      scene.referee.ended(TestRequest.of(1, 2));
      scene.referee.resize(10 + round);
      scene.drain();
      scene.insert(5);
    }
    scene.drain();
    scene.referee.close();
    return "";
  }

  String drains(long seed) {
    return atEverySize(
        seed,
        scene -> {
          scene.drain();
          scene.insert(3);
          scene.drain();
        });
  }

  String allRefused(long seed) {
    return atEverySize(
        seed,
        scene -> {
          for (int round = 0; round < 3; round++) {
            scene.refuse(ALL);
            scene.offer();
            scene.some(ALL).forEach(scene.referee::release);
          }
          scene.drain();
        });
  }

  /** Entries that the policy keeps, rather than admitting a block, are offered later. */
  String kept(long seed) {
    return atEverySize(
        seed,
        scene -> {
          TestRequest request = TestRequest.of(scene.random.longs(3).toArray());
          scene.referee.began(request);
          for (int index = 0; index < request.blocks(); index++) {
            Held offered = scene.offer();
            if (offered != null && scene.referee.admits(request, index, offered)) {
              scene.referee.remove(offered, RemovalCause.EVICTED);
            }
          }
          scene.referee.ended(request.outputTokens(0));
          scene.drain();
        });
  }

  String setAside(long seed) {
    return atEverySize(
        seed,
        scene -> {
          Referee referee = scene.referee;
          List<Held> aside = scene.refuse((referee.held().size() + 1) / 2);
          for (int i = 0; i < aside.size(); i += 2) {
            referee.access(aside.get(i));
          }
          for (int i = 0; i < aside.size(); i += 3) {
            referee.remove(aside.get(i), RemovalCause.DELETED);
          }
          referee.insert(scene.entry());
          scene.drain();
          aside.stream().filter(one -> !one.gone).forEach(referee::release);
          scene.drain();
        });
  }

  /**
   * All entries are refused, and released in the reverse order, so that those offered first are at
   * the cold end again. A policy with several queues may change the order somewhat, but those
   * entries must not come last, as new ones do.
   */
  String released(long seed) {
    Scene scene = Scene.open(provider, settings, RELEASED + SPARE, seed);
    scene.insert(RELEASED);
    List<Held> refused = scene.refuse(ALL);
    refused.reversed().forEach(scene.referee::release);
    List<Held> order = new ArrayList<>();
    for (Held offered = scene.offer(); offered != null; offered = scene.offer()) {
      order.add(offered);
      scene.referee.remove(offered, RemovalCause.EVICTED);
    }
    List<Held> first = refused.subList(0, RELEASED / 10);
    double place = 1 + first.stream().mapToInt(order::indexOf).average().orElse(0);
    if (place > RELEASED / 2.0) {
      throw scene.referee.broken(
          Rule.RELEASED,
          "the %d entries offered first were number %.0f of %d on average after they were released last"
              .formatted(first.size(), place, RELEASED));
    }
    scene.referee.close();
    return "number %.0f of %d on average".formatted(place, RELEASED);
  }

  String removed(long seed) {
    for (RemovalCause cause : RemovalCause.values()) {
      atEverySize(seed, scene -> removeInAnyState(scene, cause));
    }
    return "for " + List.of(RemovalCause.values());
  }

  private static void removeInAnyState(Scene scene, RemovalCause cause) {
    Referee referee = scene.referee;
    referee.remove(referee.insert(scene.entry()), cause);
    while (referee.held().size() > 1) {
      Held offered = scene.offer();
      Held other = scene.some(2).stream().filter(one -> one != offered).findFirst().orElseThrow();
      if (scene.random.nextBoolean()) {
        referee.remove(other, cause);
      }
      if (offered != null && scene.random.nextBoolean()) {
        referee.refuse(offered);
      } else if (offered != null) {
        referee.remove(offered, cause);
      } else {
        scene.some(1).forEach(referee::release);
      }
    }
    referee.held().stream().filter(one -> one.aside).toList().forEach(referee::release);
    scene.insert(3);
    scene.drain();
  }

  String handedOver(long seed) {
    return atEverySize(
        seed,
        old -> {
          old.refuse(2);
          List<TestEntry> entries = new ArrayList<>();
          old.referee.held().forEach(one -> entries.add(one.entry));
          entries.sort(Comparator.comparingLong(TestEntry::lastAccessTick));
          // Another seed: new entries must not have the fingerprints of those handed over.
          Scene scene =
              Scene.open(provider, settings, entries.size() + SPARE, old.random.nextLong());
          scene.clock.continueFrom(old.clock);
          entries.forEach(entry -> scene.referee.insert(entry.origin(Origin.HANDED_OVER)));
          scene.insert(3);
          scene.drain();
          scene.referee.close();
        });
  }

  String resized(long seed) {
    return atEverySize(
        seed,
        scene -> {
          for (long capacity : new long[] {1, 1_000_000, 2, 100, 1}) {
            scene.referee.resize(capacity);
            scene.refuse(2).forEach(scene.referee::release);
            scene.some(2).forEach(scene.referee::access);
            scene.some(1).forEach(one -> scene.referee.remove(one, RemovalCause.EXPIRED));
            while (scene.referee.held().size() > capacity - 1) {
              scene.referee.remove(scene.some(1).getFirst(), RemovalCause.DEMOTED);
            }
            scene.insert(1);
          }
          scene.drain();
        });
  }

  String requests(long seed) {
    return atEverySize(
        seed,
        scene -> {
          long[] known = fingerprints(scene);
          long[] unknown = scene.random.longs(1_000).toArray();
          for (TestRequest request :
              List.of(
                  TestRequest.of().inputTokens(15),
                  TestRequest.of(),
                  TestRequest.of(known).matched(known.length).inputTokens(16L * known.length),
                  TestRequest.of(unknown),
                  TestRequest.of(unknown[0]).tenant("t").workload("w").hint(-1).priority(-7),
                  TestRequest.of(known[0], unknown[1]).matched(1).sequenceId(1).turn(1),
                  TestRequest.of(7, 7, 7))) {
            scene.referee.began(request);
            scene.referee.ended(request.outputTokens(0));
          }
          scene.drain();
        });
  }

  String waiting(long seed) {
    return atEverySize(
        seed,
        scene -> {
          TestRequest all = TestRequest.of(fingerprints(scene));
          TestRequest unknown = TestRequest.of(scene.random.longs(100).toArray());
          TestRequest first = TestRequest.of(fingerprints(scene)[0]).tenant("t").priority(2);
          TestRequest running = TestRequest.of(5, 6).inputTokens(32);
          for (TestRequest request :
              List.of(
                  running.waitingBehind(all, unknown),
                  TestRequest.of(7),
                  TestRequest.of(7, 8).waitingBehind(first, first, TestRequest.of(7, 8, 9)),
                  TestRequest.of(1).waitingBehind(unknown, all))) {
            scene.referee.began(request);
            List<Held> aside = scene.refuse(1);
            scene.some(2).forEach(scene.referee::inspect);
            scene.referee.ended(request.outputTokens(0));
            aside.forEach(scene.referee::release);
            Held offered = scene.offer();
            if (offered != null) {
              scene.referee.remove(offered, RemovalCause.EVICTED);
            }
          }
          scene.drain();
        });
  }

  private static long[] fingerprints(Scene scene) {
    return scene.referee.held().stream().mapToLong(one -> one.entry.fingerprint()).toArray();
  }

  String explained(long seed) {
    return atEverySize(
        seed,
        scene -> {
          Referee referee = scene.referee;
          referee.gauges();
          scene.some(ALL).forEach(referee::inspect);
          scene.some(3).forEach(referee::access);
          List<Held> aside = scene.refuse(3);
          scene.some(ALL).forEach(referee::inspect);
          Held offered = scene.offer();
          if (offered != null) {
            referee.inspect(offered);
            referee.remove(offered, RemovalCause.EVICTED);
          }
          aside.forEach(referee::release);
          scene.some(ALL).forEach(referee::inspect);
          scene.drain();
          referee.gauges();
        });
  }

  /** Plays a script on policies that hold a few entries, some of them accessed. */
  private String atEverySize(long seed, Consumer<Scene> script) {
    for (int size : SIZES) {
      for (int room = 1; room <= 10; room += 9) {
        Scene scene = Scene.open(provider, settings, (size + SPARE) * room, seed);
        scene.insert(size);
        scene.some(size / 2).forEach(scene.referee::access);
        scene.some(size / 3).forEach(scene.referee::access);
        script.accept(scene);
        scene.referee.close();
      }
    }
    return "";
  }
}
