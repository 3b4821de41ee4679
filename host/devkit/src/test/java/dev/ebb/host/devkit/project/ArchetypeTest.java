package dev.ebb.host.devkit.project;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That its projects equal those of the command is for the build of the archetype to show. */
class ArchetypeTest {

  @TempDir private Path home;
  private Path folder;
  private Archetype archetype;

  @BeforeEach
  void makeArchetype() throws IOException {
    folder = home.resolve("made");
    archetype =
        new Archetype(
            new Libraries(
                Files.writeString(home.resolve("spi.jar"), "the contract"),
                Files.writeString(home.resolve("kit.jar"), "the checks")));
  }

  @Test
  void oneFileHoldsTheTextsOfAllKinds() throws IOException {
    archetype.write(folder);

    assertThat(folder.resolve("src/main/java/__className__.java"))
        .content()
        .contains("#if($kind=='policy')package ${package};")
        .contains("#elseif($kind=='predictor')package ${package};")
        .contains("extends RankedBlockPolicy")
        .contains("implements TokenPolicy")
        .endsWith("#{end}");
  }

  @Test
  void aTextThatIsTheSameForAllStandsThereOnce() throws IOException {
    archetype.write(folder);

    assertThat(folder.resolve("pom.xml"))
        .content()
        .doesNotContain("#if")
        .contains("<groupId>${groupId}</groupId>")
        .contains("<url>${DOLLAR}{project.baseUri}repository</url>");
    assertThat(folder.resolve(".gitignore")).content().endsWith("/build/\n/target/\n");
  }

  @Test
  void aKindsOwnFileIsThere() throws IOException {
    archetype.write(folder);

    for (ProjectKind kind : ProjectKind.values()) {
      assertThat(folder.resolve("src/main/resources/META-INF/services/" + kind.service().getName()))
          .content()
          .endsWith("${package}.${className}Provider\n");
    }
  }

  @ParameterizedTest
  @EnumSource(ProjectKind.class)
  void isTriedWithEachKind(ProjectKind kind) throws IOException {
    archetype.writeTests(folder);
    Path test = folder.resolve("my-" + kind);

    assertThat(test.resolve("archetype.properties")).content().contains("kind=" + kind);
    assertThat(test.resolve("goal.txt")).isEmptyFile();
    assertThat(test.resolve("reference/pom.xml")).exists();
  }

  @Test
  void quotesWhatVelocityWouldRead() {
    assertThat(Velocity.quote("## $HOME \\#end"))
        .isEqualTo("${HASH}${HASH} ${DOLLAR}HOME ${BACKSLASH}${HASH}end");
    assertThat(Arrays.stream(ProjectKind.values()).map(ProjectKind::toString))
        .allMatch(kind -> Velocity.quote(kind).equals(kind));
  }
}
