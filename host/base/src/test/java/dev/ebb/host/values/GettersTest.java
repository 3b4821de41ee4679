package dev.ebb.host.values;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GettersTest {

  private record Disk(long hits) {}

  private record Device(String name, @Nullable Disk disk) {
    long failing() {
      throw new AssertionError("is not public");
    }
  }

  private interface Named {
    Object name();
  }

  private record Server(String name, List<Device> devices, @Nullable Disk disk) implements Named {
    static Server none() {
      return new Server("", List.of(), null);
    }

    public void stop() {}

    public long failed() {
      throw new IllegalStateException("failed");
    }

    public Disk disk(long hits) {
      return new Disk(hits);
    }
  }

  private static final Server SERVER =
      new Server(
          "a",
          List.of(
              new Device("first", new Disk(2)),
              new Device("second", null),
              new Device("third", new Disk(3))),
          new Disk(7));

  @Test
  void readsPublicMethodsWithoutParametersOfClassesThatAreNotPublic() {
    assertThat(Getters.value(SERVER, List.of("name"))).isEqualTo("a");
    assertThat(Getters.value(SERVER, List.of("disk"))).isEqualTo(new Disk(7));
    assertThat(Getters.has(SERVER, "name")).isTrue();
    assertThat(List.of("stop", "getClass", "usedBytes"))
        .noneMatch(each -> Getters.has(SERVER, each));
    assertThat(Getters.has(SERVER.devices().getFirst(), "failing")).isFalse();
  }

  @Test
  void aPathEndsAtAnUnknownValue() {
    assertThat(Getters.value(SERVER, List.of("disk", "hits"))).isEqualTo(7L);
    assertThat(Getters.value(Server.none(), List.of("disk", "hits"))).isNull();
  }

  @Test
  void aPathMayLeadIntoClassesOfTheJdk() {
    assertThat(Getters.value(SERVER, List.of("name", "length"))).isEqualTo(1);
    assertThat(Getters.value(SERVER, List.of("devices", "size"))).isEqualTo(3);
  }

  @Test
  void aClassHasAPathByTheNarrowestTypesOfItsMethods() {
    assertThatCode(() -> Getters.check(Server.class, List.of("name", "length")))
        .doesNotThrowAnyException();
    assertThatCode(() -> Getters.check(Server.class, List.of("devices", "size")))
        .doesNotThrowAnyException();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.check(Named.class, List.of("name", "length")))
        .withMessageContaining("java.lang.Object has no 'length'");
  }

  @Test
  void findsTheValuesOfAllElementsOfAListAndNoneBehindNull() {
    assertThat(Getters.values(SERVER, List.of("devices", "disk", "hits")))
        .isEqualTo(List.of(2L, 3L));
    assertThat(Getters.values(SERVER, List.of("devices", "name")))
        .isEqualTo(List.of("first", "second", "third"));
    assertThat(Getters.values(Server.none(), List.of("disk", "hits"))).isEmpty();
  }

  @Test
  void aWrongNameIsReportedWithItsPathItsClassAndTheAllowedNames() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.check(Server.class, List.of("disk", "hit")))
        .withMessageContaining("'disk.hit'")
        .withMessageContaining(Disk.class.getName())
        .withMessageContaining("'hit'")
        .withMessageEndingWith("use one of hits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.values(SERVER, List.of("devices", "disks", "hits")))
        .withMessageContaining("'devices.disks.hits'")
        .withMessageContaining("use one of disk, name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.value(SERVER, List.of("devise")))
        .withMessageContaining("'devise'")
        .withMessageContaining("devices");
  }

  @Test
  void aMethodThatFailsIsNamed() {
    assertThatThrownBy(() -> Getters.value(SERVER, List.of("failed")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("failed()")
        .hasRootCauseMessage("failed");
  }
}
