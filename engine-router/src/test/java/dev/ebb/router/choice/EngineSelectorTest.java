package dev.ebb.router.choice;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.SharedFiles;
import dev.ebb.router.choice.EngineSelector.Assignment;
import dev.ebb.router.choice.RoutedEngine.State;
import dev.ebb.router.prompt.PromptChain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EngineSelectorTest {

  private static final Set<String> MODELS = Set.of("m");

  private long nanos;
  private EngineSelector selector = selector(RouterOptions.DEFAULTS, 3);

  private EngineSelector selector(RouterOptions options, int engines) {
    EngineSelector created =
        new EngineSelector(
            IntStream.range(0, engines).mapToObj(i -> "http://e" + i).toList(),
            options,
            () -> nanos++);
    created.engines().forEach(engine -> created.up(engine, false, MODELS, figures(1, 0)));
    return created;
  }

  private static EngineFigures figures(double start, int load) {
    return new EngineFigures(start, load, Double.POSITIVE_INFINITY);
  }

  private RoutedEngine engine(int index) {
    return selector.engines().get(index);
  }

  private static PromptChain prompt(int start, int tokens) {
    return PromptChain.ofTokens(7, IntStream.range(start, start + tokens).toArray());
  }

  private @Nullable Assignment choose(PromptChain prompt, RoutedEngine... tried) {
    return selector.choose(List.of(prompt), "m", Set.of(tried));
  }

  private RoutedEngine answer(PromptChain prompt, long cached) {
    Assignment chosen = requireNonNull(choose(prompt));
    chosen.began();
    chosen.answered((long) (prompt.length() * PromptChain.TOKENS), cached);
    return chosen.engine();
  }

  @Test
  void aPromptGoesWhereItsPrefixIs() {
    RoutedEngine first = answer(prompt(0, 800), 0);
    RoutedEngine other = requireNonNull(choose(prompt(9_000, 400))).engine();
    assertThat(other).as("no blocks there").isNotEqualTo(first);
    for (int i = 0; i < 5; i++) {
      assertThat(answer(prompt(0, 1_200), 800)).isEqualTo(first);
    }
  }

  @Test
  void aBusyEngineIsNotWorthAShortPrefix() {
    RoutedEngine first = answer(prompt(0, 64), 0);
    assertThat(requireNonNull(choose(prompt(0, 64))).engine()).isEqualTo(first);
    // It has a request: 64 tokens are as much as the prefix saves, and 48 less.
    assertThat(requireNonNull(choose(prompt(0, 48))).engine()).isNotEqualTo(first);
  }

  @Test
  void promptsThatAreNotComputedYetCount() {
    RoutedEngine first = requireNonNull(choose(prompt(0, 3_200))).engine();
    RoutedEngine second = requireNonNull(choose(prompt(0, 1_600))).engine();
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  void requestsOfOtherClientsCount() {
    selector.up(engine(0), false, MODELS, figures(1, 10));
    selector.up(engine(1), false, MODELS, figures(1, 3));
    selector.up(engine(2), false, MODELS, figures(1, 5));
    assertThat(requireNonNull(choose(prompt(0, 100))).engine()).isEqualTo(engine(1));
  }

  @Test
  void whatASharedServerHasCostsLess() {
    PromptChain shared = prompt(0, 1_600);
    selector = selector(new RouterOptions(RoutingPolicy.PREFIX, 0.1, 64, 1_000), 2);
    RoutedEngine first = answer(shared, 0);
    // 200 tokens of memory, in place of 160 computed ones and 64 for each request.
    List<RoutedEngine> chosen = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Assignment next = requireNonNull(choose(shared));
      next.began();
      chosen.add(next.engine());
    }
    assertThat(chosen.subList(0, 3)).containsOnly(first);
    assertThat(chosen.get(3)).isNotEqualTo(first);
  }

  @Test
  void newPrefixesGoWhereTheOldestBlocksAre() {
    selector = selector(new RouterOptions(RoutingPolicy.PREFIX, 1, 0, 100), 2);
    RoutedEngine first = answer(prompt(0, 1_600), 0);
    nanos += 1_000_000;
    assertThat(answer(prompt(5_000, 1_600), 0)).as("empty").isNotEqualTo(first);
    nanos += 1_000_000;
    assertThat(answer(prompt(9_000, 160), 0)).as("older blocks").isEqualTo(first);
  }

  @Test
  void aRestartedEngineHasNothing() {
    RoutedEngine first = answer(prompt(0, 800), 0);
    assertThat(selector.down(first, "gone")).isTrue();
    assertThat(requireNonNull(choose(prompt(0, 800))).engine()).isNotEqualTo(first);
    selector.up(first, false, MODELS, figures(1, 0));
    assertThat(report(first).believedBlocks()).as("same process").isEqualTo(50);
    selector.up(first, false, MODELS, figures(2, 0));
    assertThat(report(first).believedBlocks()).isZero();
  }

  private RoutedEngine.Report report(RoutedEngine engine) {
    return selector.reports().get(selector.engines().indexOf(engine));
  }

  @Test
  void anEvictedPrefixIsForgottenWithAllThatContinuesIt() {
    selector = selector(RouterOptions.DEFAULTS, 1);
    answer(prompt(0, 160), 0);
    answer(prompt(0, 1_600), 160);
    for (int i = 1; i <= 10; i++) {
      answer(prompt(10_000 * i, 1_600), 0);
    }
    assertThat(report(engine(0)).believedBlocks()).isEqualTo(1_100);
    answer(prompt(0, 320), 96);
    assertThat(report(engine(0)).believedBlocks()).isEqualTo(1_006);
    assertThat(report(engine(0)).cachedTokens()).isEqualTo(256);
    assertThat(report(engine(0)).believedTokens()).isEqualTo(480);
  }

  @Test
  void aFailedRequestLeavesNothing() {
    Assignment failed = requireNonNull(choose(prompt(0, 800)));
    failed.failed();
    failed.ended();
    RoutedEngine.Report report = report(failed.engine());
    assertThat(report.believedBlocks()).isZero();
    assertThat(report.running()).isZero();
    assertThat(report.failures()).isEqualTo(1);
    Assignment again = requireNonNull(choose(prompt(0, 800), failed.engine()));
    assertThat(again.engine()).isNotEqualTo(failed.engine());
    assertThat(report(again.engine()).retries()).isEqualTo(1);
  }

  @Test
  void onlyEnginesThatTakeRequestsAreChosen() {
    selector.up(engine(0), true, MODELS, figures(1, 0));
    selector.down(engine(1), "gone");
    assertThat(requireNonNull(choose(prompt(0, 100))).engine()).isEqualTo(engine(2));
    assertThat(choose(prompt(0, 100), engine(2))).isNull();
    assertThat(selector.reports())
        .extracting(RoutedEngine.Report::state)
        .containsExactly(State.STOPPING, State.DOWN, State.UP);
  }

  @Test
  void aModelGoesToItsEngines() {
    selector.up(engine(1), false, Set.of("other"), figures(1, 0));
    for (int i = 0; i < 4; i++) {
      assertThat(
              requireNonNull(selector.choose(List.of(prompt(i * 1_000, 64)), "other", Set.of()))
                  .engine())
          .isEqualTo(engine(1));
      assertThat(selector.choose(List.of(), "nobody's", Set.of())).isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = RoutingPolicy.class,
      names = {"ROUND_ROBIN", "LEAST_LOADED"})
  void otherPoliciesIgnorePrompts(RoutingPolicy policy) {
    selector = selector(RouterOptions.DEFAULTS.with(policy), 3);
    List<RoutedEngine> chosen = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      chosen.add(requireNonNull(choose(prompt(0, 800))).engine());
    }
    assertThat(chosen)
        .containsExactly(engine(0), engine(1), engine(2), engine(0), engine(1), engine(2));
  }

  /** Chats with a common system prompt, whose turns alternate. */
  private static List<SimulatedEngines.Prompt> chats(int chats, int turns) {
    List<SimulatedEngines.Prompt> prompts = new ArrayList<>();
    Random random = new Random(1);
    int[] said = new int[chats];
    double seconds = 0;
    for (int i = 0; i < chats * turns; i++) {
      int chat = random.nextInt(chats);
      said[chat] += 2;
      long[] blocks = new long[2 + said[chat]];
      for (int block = 0; block < blocks.length; block++) {
        blocks[block] = block < 2 ? block : 1_000L * (chat + 1) + block;
      }
      seconds += 0.4 * random.nextDouble();
      prompts.add(new SimulatedEngines.Prompt(seconds, blocks, 512L * blocks.length, 20));
    }
    return prompts;
  }

  private static SimulatedEngines simulated(RoutingPolicy policy, int blocks, boolean reported) {
    return new SimulatedEngines(RouterOptions.DEFAULTS.with(policy), 4, blocks, 20_000, reported);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void chatsComputeFarLessThanWithRoundRobin(boolean reported) {
    List<SimulatedEngines.Prompt> chats = chats(40, 8);
    SimulatedEngines byPrefix = simulated(RoutingPolicy.PREFIX, 200, reported);
    SimulatedEngines.Result prefix = byPrefix.run(chats);
    SimulatedEngines.Result turns = simulated(RoutingPolicy.ROUND_ROBIN, 200, reported).run(chats);
    assertThat(prefix.computed()).isLessThan(turns.computed() / 2);
    assertThat(prefix.meanWait()).isLessThan(turns.meanWait());
    assertThat(byPrefix.reports())
        .allSatisfy(each -> assertThat(each.believedBlocks()).isLessThan(250));
  }

  @Test
  void aRecordedTraceComputesLessThanWithRoundRobin() {
    Path trace = SharedFiles.file("traces", "conversation_trace.jsonl.gz");
    List<SimulatedEngines.Prompt> prompts = SimulatedEngines.read(trace, 3_000);
    long prefix = simulated(RoutingPolicy.PREFIX, 2_000, true).run(prompts).computed();
    long turns = simulated(RoutingPolicy.ROUND_ROBIN, 2_000, true).run(prompts).computed();
    assertThat(prefix).isLessThan((long) (0.95 * turns));
  }
}
