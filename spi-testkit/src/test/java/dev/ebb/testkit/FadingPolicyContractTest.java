package dev.ebb.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.TokenPolicy;
import dev.ebb.spi.TokenPolicyProvider;
import dev.ebb.spi.TokenView;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A policy with state for each token keeps the contract if the state is the host's. */
class FadingPolicyContractTest extends TokenPolicyContract {

  @Override
  protected TokenPolicyProvider provider() {
    return new TokenPolicyProvider() {
      @Override
      public String name() {
        return "fading";
      }

      @Override
      public TokenPolicy create(PolicyContext context) {
        return new Fading();
      }
    };
  }

  @Test
  void isThePolicyInTheDocumentation() throws IOException {
    String page = Files.readString(Path.of("../docs/writing-a-token-policy.md"));
    String block = page.substring(page.indexOf("```java\n@Override\npublic void score") + 8);
    String source =
        Files.readString(Path.of("src/test/java/dev/ebb/testkit/FadingPolicyContractTest.java"));

    assertThat(source.replaceAll("\\s+", " "))
        .contains(block.substring(0, block.indexOf("```")).strip().replaceAll("\\s+", " "));
  }

  /** Adds the newest query's attention to half of what the token had received. */
  static class Fading extends HeadPolicy {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    Fading() {
      super(Trigger.EVERY_STEP, Signal.WINDOW_ATTENTION, Signal.STATE);
    }

    @Override
    public void score(TokenView view, int layer, float[] out) {
      MemorySegment attention = view.signal(Signal.WINDOW_ATTENTION, layer);
      MemorySegment state = view.signal(Signal.STATE, layer);
      int length = view.length();
      int group = view.queryHeads() / view.kvHeads();
      for (int i = 0; i < view.kvHeads() * length; i++) {
        float received = state.getAtIndex(FLOAT, i) / 2;
        int head = i / length;
        for (int query = head * group; query < (head + 1) * group; query++) {
          received += attention.getAtIndex(FLOAT, (long) query * length + i % length);
        }
        state.setAtIndex(FLOAT, i, received);
        out[i] = received;
      }
    }
  }
}
