package dev.ebb.host.values;

import static org.assertj.core.api.Assertions.assertThat;
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
    Getters getters = Getters.of(SERVER);

    assertThat(getters.value(SERVER, "name")).isEqualTo("a");
    assertThat(getters.value(Server.none(), "disk")).isNull();
    assertThat(getters.has("name")).isTrue();
    assertThat(List.of("none", "stop", "getClass", "usedBytes")).noneMatch(getters::has);
    assertThat(Getters.of(SERVER.devices().getFirst()).has("failing")).isFalse();
  }

  @Test
  void looksAClassUpOnce() {
    assertThat(Getters.of(Server.none())).isSameAs(Getters.of(SERVER));
  }

  @Test
  void aPathEndsAtAnUnknownValue() {
    assertThat(Getters.path(Server.class, "disk.hits").apply(SERVER)).isEqualTo(7L);
    assertThat(Getters.path(Server.class, "disk.hits").apply(Server.none())).isNull();
  }

  @Test
  void aPathHasTheTypesOfTheClassAndNotOfItsInterface() {
    assertThat(Getters.path(Server.class, "name.length").apply(SERVER)).isEqualTo(1);
    assertThat(Getters.path(Server.class, "devices.size").apply(SERVER)).isEqualTo(3);
    assertThat(Getters.path(Named.class, "name").apply(SERVER)).isEqualTo("a");
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
        .isThrownBy(() -> Getters.path(Server.class, "disk.hit"))
        .withMessageContaining("'disk.hit'")
        .withMessageContaining(Disk.class.getName())
        .withMessageContaining("'hit'")
        .withMessageEndingWith("use one of hits");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.values(SERVER, List.of("devices", "disks", "hits")))
        .withMessageContaining("'devices.disks.hits'")
        .withMessageContaining("use one of disk, name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Getters.of(SERVER).value(SERVER, "devise"))
        .withMessageContaining("'devise'")
        .withMessageContaining("devices");
  }

  @Test
  void aMethodThatFailsIsNamed() {
    assertThatThrownBy(() -> Getters.of(SERVER).value(SERVER, "failed"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("failed()")
        .hasRootCauseMessage("failed");
  }
}
