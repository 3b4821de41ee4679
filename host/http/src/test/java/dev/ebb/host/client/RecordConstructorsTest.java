package dev.ebb.host.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.json.JsonMapper;

class RecordConstructorsTest {

  private static final JsonMapper JSON =
      JsonMapper.builder().addModule(new RecordConstructors()).build();

  @Test
  void recordsAreCreatedWithoutMethodHandles() {
    Pair pair = JSON.readValue("{\"left\": 1, \"right\": [\"a\"]}", Pair.class);

    assertThat(pair).isEqualTo(new Pair(1, List.of("a")));
    assertThat(Pair.callers).noneMatch(name -> name.endsWith(".AnnotatedConstructor"));
  }

  @Test
  void theErrorOfAConstructorIsThatOfTheDocument() {
    assertThatExceptionOfType(ValueInstantiationException.class)
        .isThrownBy(() -> JSON.readValue("{\"left\": -1, \"right\": []}", Pair.class))
        .withMessageContaining("left is '-1'");
  }

  @SuppressWarnings("StaticAssignmentInConstructor")
  private record Pair(int left, List<String> right) {

    private static List<String> callers = List.of();

    private Pair {
      if (left < 0) {
        throw new IllegalArgumentException("left is '%d'".formatted(left));
      }
      if (callers.isEmpty()) {
        callers =
            Arrays.stream(new Throwable().getStackTrace())
                .map(StackTraceElement::getClassName)
                .toList();
      }
    }
  }
}
