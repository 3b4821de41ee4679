package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.ebb.spi.BlockPolicyProvider;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;

/** What an author sees of the contract in a build. */
class DynamicChecksTest {

  @Test
  void aFailureNamesTheCheck() {
    assertThat(thrown(BlockPolicyProvider.of("broken", context -> new Miscounts())))
        .isNotEmpty()
        .allSatisfy(error ->
            assertThat(error)
                .isInstanceOf(AssertionError.class)
                .message()
                .matches("(?s)[a-z][a-z0-9 ,]+: .* rule: .*"));
  }

  @Test
  void afterACallThatNeverReturnsNothingIsCalledAnyMore() {
    List<Throwable> thrown = thrown(BlockPolicyProvider.of("broken", context -> new Hangs()));

    assertThat(thrown).first().isInstanceOf(AssertionError.class);
    assertThat(thrown.stream().skip(1))
        .isNotEmpty()
        .allSatisfy(error ->
            assertThat(error)
                .isNotInstanceOf(AssertionError.class)
                .hasMessageContaining("'copes with being empty' never returned"));
  }

  // What a test that is not yet written returns.
  @SuppressWarnings("NullAway")
  @Test
  void aMissingProviderIsReported() {
    assertThatThrownBy(() -> BlockPolicyChecks.of(null, Mistake.SETTINGS))
        .hasMessage("provider() returned null, not the provider to check");
  }

  private static List<Throwable> thrown(BlockPolicyProvider provider) {
    BlockPolicyContract contract =
        new BlockPolicyContract() {
          @Override
          protected BlockPolicyProvider provider() {
            return provider;
          }

          @Override
          protected CheckSettings settings() {
            return Mistake.SETTINGS.withLimit(Duration.ofSeconds(2));
          }
        };
    return contract
        .keepsTheContract()
        .map(DynamicTest::getExecutable)
        .map(check -> catchThrowable(check::execute))
        .filter(Objects::nonNull)
        .toList();
  }

  private static final class Miscounts extends Fifo {
    @Override
    public void removed(Node node, RemovalCause cause) {
      super.removed(node, cause);
      size++;
    }
  }

  private static final class Hangs extends Fifo {
    @Override
    public @Nullable Entry victim(Demand demand) {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException abandoned) {
        Thread.currentThread().interrupt();
      }
      return super.victim(demand);
    }
  }
}
