package dev.ebb.testkit;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes every call of a host on to a policy and throws when an answer breaks a rule. */
final class Referee {

  /** Background tasks are handed back after so many calls. */
  private static final int CALLS_PER_TASK = 64;

  private final BlockPolicy<Object> policy;
  private final TestContext context;
  private final TestClock clock;
  private final Trail trail = new Trail();
  private final List<Held> held = new ArrayList<>();
  private final TestRequest lent = TestRequest.of();
  private int aside;

  // A node goes back only to the policy that made it.
  @SuppressWarnings("unchecked")
  Referee(BlockPolicy<?> policy, TestContext context) {
    this.policy = (BlockPolicy<Object>) policy;
    this.context = context;
    clock = context.clock();
    checkSize();
  }

  /** Returns the entries held, in an arbitrary but repeatable order. */
  List<Held> held() {
    return Collections.unmodifiableList(held);
  }

  long steps() {
    return trail.step();
  }

  void began(TestRequest request) {
    lent.lendWaiting(request);
    lend("began", request, () -> policy.began(lent));
    lent.takeWaitingBack();
  }

  void ended(TestRequest request) {
    lend("ended", request, () -> policy.ended(lent));
  }

  private void lend(String call, TestRequest request, Runnable body) {
    lent.become(request);
    run(call, null, body);
    lent.become(null);
  }

  Held insert(TestEntry entry) {
    if (entry.origin() == Origin.NEW) {
      entry.created(clock.nanos(), clock.nextTick());
    }
    Object node = ask("inserted", entry, () -> policy.inserted(entry));
    if (node == null) {
      throw broken(Rule.NODE, "inserted() returned null");
    }
    Held added = new Held(entry, this, node);
    added.now("inserted", steps());
    added.index = held.size();
    entry.held = added;
    held.add(added);
    checkSize();
    return added;
  }

  void access(Held used) {
    used.entry.used(clock.nanos(), clock.nextTick());
    run("accessed", used.entry, () -> policy.accessed(used.node));
  }

  /**
   * Asks for a victim; the caller must answer with {@link #remove} or {@link #refuse}.
   *
   * @param free the evictable entries that are not set aside; the policy may offer others, but must
   *     not return null while there is one
   */
  @Nullable Held offer(Demand demand, Predicate<Held> free) {
    Entry entry = ask("victim", null, () -> policy.victim(demand));
    checkSize();
    if (entry == null) {
      held.stream()
          .filter(one -> !one.aside && free.test(one))
          .findFirst()
          .ifPresent(this::overlooked);
      return null;
    }
    if (!(entry instanceof TestEntry known) || known.held == null) {
      throw broken(Rule.RESIDENT, "victim() offered an entry that was never inserted");
    }
    Held offered = known.held;
    if (offered.referee != this) {
      throw broken(Rule.INDEPENDENT, "victim() offered an entry of another instance");
    }
    if (offered.gone) {
      throw broken(Rule.RESIDENT, "victim() offered " + offered);
    }
    if (offered.aside) {
      throw broken(Rule.ASIDE, "victim() offered " + offered);
    }
    return offered;
  }

  /**
   * Lets the policy choose an object that is evicted while its chunk stays.
   *
   * @param proposed the chunk that the choice names; null if it names none
   * @return the chunk of the chosen object; null if there is none
   */
  @Nullable Held choosePart(Demand demand, @Nullable Held proposed, PartChoice choice) {
    ask(
        "victimPart",
        proposed == null ? null : proposed.entry,
        () -> {
          policy.victimPart(demand, proposed == null ? null : proposed.node, choice);
          return null;
        });
    checkSize();
    Entry entry = choice.entry();
    if (entry == null) {
      return null;
    }
    Held chosen = entry instanceof TestEntry known ? known.held : null;
    int group = choice.group();
    if (chosen == null
        || chosen.referee != this
        || chosen.gone
        || group < 0
        || group >= entry.groups()
        || !entry.partEvictable(group)) {
      throw broken(Rule.PART, "victimPart() chose group %d of %s".formatted(group, chosen));
    }
    return chosen;
  }

  void lookupMissed(long fingerprint) {
    run("lookupMissed", null, () -> policy.lookupMissed(fingerprint));
  }

  /** Asks whether a block of a request should take the place of an entry that was just offered. */
  boolean admits(TestRequest request, int index, Held offered) {
    lent.become(request);
    boolean admitted =
        Boolean.TRUE.equals(
            ask("admits", offered.entry, () -> policy.admits(lent, index, offered.node)));
    lent.become(null);
    checkSize();
    if (!admitted) {
      offered.now("kept", steps());
    }
    return admitted;
  }

  void remove(Held leaving, RemovalCause cause) {
    run("removed", leaving.entry, () -> policy.removed(leaving.node, cause), -1);
    leaving.gone = true;
    leaving.now("removed: " + cause, steps());
    aside -= leaving.aside ? 1 : 0;
    Held last = held.removeLast();
    if (last != leaving) {
      held.set(leaving.index, last);
      last.index = leaving.index;
    }
  }

  void refuse(Held offered) {
    run("refused", offered.entry, () -> policy.refused(offered.node));
    offered.aside = true;
    offered.now("refused", steps());
    aside++;
  }

  void release(Held set) {
    run("released", set.entry, () -> policy.released(set.node));
    set.aside = false;
    set.now("released", steps());
    aside--;
  }

  void resize(long capacityBlocks) {
    run("resized", null, () -> policy.resized(capacityBlocks));
  }

  /** Returns the fingerprints among the given ones that the policy holds. */
  Set<Long> search(Set<Long> fingerprints) {
    return FingerprintSearch.in(policy, fingerprints);
  }

  /** Calls the methods that exist for people only. */
  void inspect(Held one) {
    ask("score", one.entry, () -> policy.score(one.node));
    String text = ask("explain", one.entry, () -> policy.explain(one.node));
    if (text == null || text.lines().count() > 1) {
      throw broken(Rule.EXPLANATION, "explain() returned '%s'".formatted(text));
    }
    gauges();
    checkSize();
  }

  void gauges() {
    Map<String, Double> gauges = ask("gauges", null, policy::gauges);
    if (gauges == null) {
      throw broken(Rule.GAUGES, "gauges() returned null");
    }
    gauges.forEach((name, value) -> {
      if (name == null || !Names.isValid(name)) {
        throw broken(Rule.GAUGES, "a gauge is named '%s'".formatted(name));
      }
      if (value == null || value.isInfinite()) {
        throw broken(Rule.GAUGES, "gauge '%s' is %s".formatted(name, value));
      }
    });
  }

  void close() {
    ask(
        "close",
        null,
        () -> {
          policy.close();
          return null;
        });
  }

  /** Returns a finding, with the step and the calls that led to it. */
  Violation broken(Rule rule, String finding) {
    return new Violation(rule, finding + where());
  }

  private String where() {
    return "%n  on step %d, after: %s".formatted(steps(), trail);
  }

  private void run(String call, @Nullable TestEntry about, Runnable body) {
    run(call, about, body, 0);
  }

  private void run(String call, @Nullable TestEntry about, Runnable body, int change) {
    if (steps() % CALLS_PER_TASK == 0) {
      handBack();
    }
    ask(
        call,
        about,
        () -> {
          body.run();
          return null;
        });
    checkSize(held.size() + change);
  }

  private void handBack() {
    try {
      context.runBackground();
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.NO_EXCEPTION, "a background task", thrown).with(where());
    }
  }

  private <T> @Nullable T ask(String call, @Nullable TestEntry about, Supplier<T> body) {
    trail.add(call, about);
    try {
      return body.get();
    } catch (Violation violation) {
      throw violation.with(where());
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.NO_EXCEPTION, call + "()", thrown).with(where());
    }
  }

  private void checkSize() {
    checkSize(held.size());
  }

  private void checkSize(long expected) {
    long size;
    try {
      size = policy.size();
    } catch (Throwable thrown) {
      throw Violation.thrown(Rule.NO_EXCEPTION, "size()", thrown).with(where());
    }
    if (size != expected) {
      throw broken(Rule.SIZE, "size() is %d, must be %d".formatted(size, expected));
    }
  }

  private void overlooked(Held candidate) {
    throw broken(
        Rule.COMPLETE,
        "victim() returned null although %s could leave; %d of %d entries are set aside"
            .formatted(candidate, aside, held.size()));
  }
}
