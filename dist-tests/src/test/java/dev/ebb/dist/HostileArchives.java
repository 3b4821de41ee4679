package dev.ebb.dist;

import static dev.ebb.dist.HostileJar.Outcome.REFUSED;
import static dev.ebb.dist.HostileJar.Outcome.SERVED;

import dev.ebb.dist.HostileJar.Outcome;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Files that are broken or hostile before a class of them runs. */
final class HostileArchives {

  private static final int BOMB_BYTES = 450 << 20;

  private final List<HostileJar> jars = new ArrayList<>();

  private HostileArchives() {}

  static List<HostileJar> all() {
    HostileArchives made = new HostileArchives();
    made.manifests();
    made.services();
    made.defaults();
    made.classFiles();
    made.files();
    return made.jars;
  }

  private HostileJar add(String group, String name, Outcome first, Outcome... others) {
    HostileJar jar = new HostileJar(group, name, first, others);
    jars.add(jar);
    return jar;
  }

  private void manifests() {
    String group = "manifest";
    add(group, "class-path", REFUSED)
        .manifest("Class-Path", "../../lib/other.jar http://127.0.0.1:1/x.jar");
    add(group, "plugin-class-missing", REFUSED).manifest("Plugin-Class", "no.such.Plugin");
    add(group, "plugin-class-of-host", REFUSED)
        .manifest("Plugin-Class", "dev.ebb.host.cli.EbbMain");
    add(group, "plugin-class-of-jdk", REFUSED).manifest("Plugin-Class", "java.lang.Runtime");
    add(group, "id-path", REFUSED).manifest("Plugin-Id", "../../etc/passwd");
    add(group, "id-huge", REFUSED).manifest("Plugin-Id", "i\r\n i".repeat(2000));
    add(group, "id-of-shipped-plugin", REFUSED)
        .manifest("Plugin-Id", "lru")
        .manifest("Plugin-Version", "0.0.1");
    add(group, "version-garbage", REFUSED).manifest("Plugin-Version", "%s${x}");
    add(group, "requires-garbage", REFUSED).manifest("Plugin-Requires", ">=1.0.0 & <2.0.0 & ((((");
    add(group, "requires-huge", REFUSED).manifest("Plugin-Requires", "(".repeat(400));
    add(group, "dependencies", REFUSED).manifest("Plugin-Dependencies", "lru@1.0.0, manifest@*");
    add(group, "agent", SERVED)
        .manifest("Launcher-Agent-Class", "acme.Agent")
        .manifest("Premain-Class", "acme.Agent");
    add(group, "manifest-binary", REFUSED).dropped(zip("META-INF/MANIFEST.MF", random(10_000)));
    add(group, "manifest-bomb", REFUSED).dropped(bomb("META-INF/MANIFEST.MF"));
    add(group, "native-access", SERVED)
        .manifest("Enable-Native-Access", "ALL-UNNAMED")
        .manifest("Add-Opens", "java.base/java.lang");
  }

  private void services() {
    String group = "service file";
    add(group, "service-garbage", REFUSED).service("\u0000\u0001 not a class\n%%%\n");
    add(group, "service-missing-class", REFUSED).service("no.such.Provider");
    add(group, "service-jdk-class", REFUSED).service("java.lang.Runtime");
    add(group, "service-host-class", REFUSED).service("dev.ebb.host.cli.EbbMain");
    add(group, "service-interface", REFUSED).service("dev.ebb.spi.BlockPolicyProvider");
    add(group, "service-long-line", REFUSED).service("a".repeat(900_000));
    add(group, "service-many-lines", REFUSED).service("no.such.Provider\n".repeat(50_000));
    add(group, "service-binary", REFUSED)
        .entry("META-INF/services/dev.ebb.spi.BlockPolicyProvider", random(10_000));
    add(group, "service-empty", REFUSED).service("# nothing\n");
    add(group, "service-bomb", REFUSED)
        .dropped(bomb("META-INF/services/dev.ebb.spi.BlockPolicyProvider"));
  }

  private void defaults() {
    String group = "reference.conf";
    String file = "reference.conf";
    add(group, "conf-nested", REFUSED).entry(file, "a{".repeat(200_000));
    add(group, "conf-arrays", REFUSED).entry(file, "conf-arrays.a=" + "[".repeat(300_000));
    add(group, "conf-includes", REFUSED).entry(file, "include file(\"/etc/passwd\")");
    add(group, "conf-includes-url", REFUSED).entry(file, "include url(\"http://127.0.0.1:1/x\")");
    add(group, "conf-environment", REFUSED).entry(file, "conf-environment.a = ${PATH}");
    add(group, "conf-doubles", REFUSED).entry(file, doubling());
    add(group, "conf-appends", REFUSED).entry(file, "conf-appends.a += 1\n".repeat(10_000));
    add(group, "conf-long-token", REFUSED)
        .entry(file, "conf-long-token.a = " + "x".repeat(900_000));
    add(group, "conf-long-path", REFUSED)
        .entry(file, "conf-long-path." + "a.".repeat(100_000) + "a = 1");
    add(group, "conf-huge-number", SERVED).entry(file, "conf-huge-number { a = 1e999999999 }");
    add(group, "conf-many-keys", REFUSED).entry(file, manyKeys("conf-many-keys"));
    add(group, "conf-other-section", REFUSED).entry(file, "ebb { server.password = \"\" }");
    add(group, "conf-binary", REFUSED).entry(file, random(100_000));
    add(group, "conf-unclosed", REFUSED).entry(file, "conf-unclosed { a = \"\"\"");
    add(group, "conf-bomb", REFUSED).dropped(bomb(file));
  }

  private static String doubling() {
    StringBuilder text = new StringBuilder("conf-doubles { a0 = xxxxxxxx\n");
    for (int i = 1; i < 60; i++) {
      text.append("a%d = ${conf-doubles.a%d}${conf-doubles.a%d}\n".formatted(i, i - 1, i - 1));
    }
    return text + "}";
  }

  private static String manyKeys(String section) {
    StringBuilder text = new StringBuilder(section + " {\n");
    for (int i = 0; i < 20_000; i++) {
      text.append("k").append(i).append(" = 1\n");
    }
    return text + "}";
  }

  private void classFiles() {
    String group = "class files";
    add(group, "class-of-future-java", REFUSED).changedClasses(bytes -> bytes[7] = 99);
    add(group, "class-no-magic", REFUSED).changedClasses(bytes -> bytes[0] = 0);
    add(group, "class-garbage", REFUSED).changedClasses(bytes -> new Random(1).nextBytes(bytes));
    add(
            group,
            "class-damaged-code",
            REFUSED,
            HostileJar.Outcome.SWITCH_FAILED,
            HostileJar.Outcome.QUARANTINED)
        .changedClasses(
            bytes -> Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 40, (byte) 0x7f));
    add(group, "class-preview", REFUSED)
        .changedClasses(bytes -> {
          bytes[4] = -1;
          bytes[5] = -1;
        });
    add(group, "class-of-spi", REFUSED).entry("dev/ebb/spi/Entry.class", random(100));
    add(group, "class-of-spi-versioned", REFUSED)
        .manifest("Multi-Release", "true")
        .entry("META-INF/versions/9/dev/ebb/spi/Entry.class", random(100));
    add(group, "class-of-jdk", SERVED, REFUSED).entry("java/lang/String.class", random(100));
    add(group, "class-of-host", SERVED, REFUSED)
        .entry("dev/ebb/host/cli/EbbMain.class", random(100));
    add(group, "module-info", SERVED, REFUSED).entry("module-info.class", random(100));
    add(group, "log-configuration", SERVED)
        .entry("logback.xml", "<configuration><shutdownHook/><root level='OFF'/></configuration>")
        .entry("logback-test.xml", "<configuration><root level='OFF'/></configuration>")
        .entry("simplelogger.properties", "x=y");
    add(group, "other-services", SERVED, REFUSED)
        .entry("META-INF/services/java.nio.file.spi.FileSystemProvider", "no.such.Provider")
        .entry("META-INF/services/org.slf4j.spi.SLF4JServiceProvider", "no.such.Provider")
        .entry("META-INF/services/java.time.zone.ZoneRulesProvider", "no.such.Provider");
    add(group, "signature-garbage", SERVED, REFUSED)
        .entry("META-INF/X.SF", random(1000))
        .entry("META-INF/X.RSA", random(1000));
  }

  private void files() {
    String group = "files";
    add(group, "file-empty", REFUSED).dropped(bytes(new byte[0]));
    add(group, "file-random", REFUSED).dropped(bytes(random(100_000)));
    add(group, "file-text", REFUSED)
        .dropped(bytes("PK\u0003\u0004".getBytes(StandardCharsets.US_ASCII)));
    add(group, "file-only-end", REFUSED)
        .dropped(bytes(Arrays.copyOf(new byte[] {'P', 'K', 5, 6}, 22)));
    add(group, "file-wrong-count", REFUSED).dropped(endRecordOfManyEntries());
    HostileJar half = add(group, "file-half", REFUSED);
    half.dropped(file -> {
      half.write(file);
      byte[] all = Files.readAllBytes(file);
      Files.write(file, Arrays.copyOf(all, all.length / 2));
    });
    HostileJar flipped = add(group, "file-bits-changed", REFUSED, SERVED);
    flipped.dropped(file -> {
      flipped.write(file);
      byte[] all = Files.readAllBytes(file);
      for (int i = 200; i < all.length; i += 97) {
        all[i] ^= 0x55;
      }
      Files.write(file, all);
    });
    add(group, "file-sparse", REFUSED)
        .dropped(file -> {
          try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
            sparse.setLength(10L << 30);
          }
          ownersOnly(file);
        });
    add(group, "file-folder", REFUSED).dropped(file -> Files.createDirectory(file));
    add(group, "file-pipe", REFUSED)
        .dropped(file -> Shell.run(file.getParent(), "mkfifo", file.toString()));
    add(group, "file-device", REFUSED)
        .dropped(file -> Files.createSymbolicLink(file, Path.of("/dev/zero")));
    add(group, "file-link-cycle", REFUSED)
        .dropped(file -> Files.createSymbolicLink(file, file.getFileName()));
    add(group, "file-link-secret", REFUSED)
        .dropped(file -> Files.createSymbolicLink(file, Path.of("/etc/passwd")));
    HostileJar open = add(group, "file-writable", REFUSED);
    open.dropped(file -> {
      open.write(file);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
    });
    add(group, "entries-many", REFUSED, SERVED)
        .dropped(file -> {
          try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (int i = 0; i < 200_000; i++) {
              zip.putNextEntry(new ZipEntry("e" + i));
            }
          }
          ownersOnly(file);
        });
    add(group, "entries-outside", SERVED, REFUSED)
        .entry("../../../outside.txt", "x")
        .entry("/absolute.txt", "x")
        .entry("a\\..\\b", "x");
    add(group, "entry-bomb-unused", SERVED, REFUSED).dropped(bombBeside(jars.getLast()));
  }

  private static HostileJar.Dropped bombBeside(HostileJar unused) {
    return bomb("unused-" + unused.name);
  }

  private static HostileJar.Dropped bytes(byte[] content) {
    return file -> {
      Files.write(file, content);
      ownersOnly(file);
    };
  }

  private static HostileJar.Dropped zip(String entry, byte[] content) {
    return file -> {
      try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
        zip.putNextEntry(new ZipEntry(entry));
        zip.write(content);
      }
      ownersOnly(file);
    };
  }

  /** An entry of a few hundred kilobytes that unpacks to more than the heap. */
  private static HostileJar.Dropped bomb(String entry) {
    return file -> {
      try (OutputStream out = Files.newOutputStream(file);
          ZipOutputStream zip = new ZipOutputStream(out)) {
        if (!entry.equals("META-INF/MANIFEST.MF")) {
          zip.putNextEntry(new ZipEntry("META-INF/MANIFEST.MF"));
          zip.write(
              "Manifest-Version: 1.0\nPlugin-Id: bomb\nPlugin-Version: 1.0.0\nPlugin-Requires: 1.x\n\n"
                  .getBytes(StandardCharsets.UTF_8));
        }
        zip.putNextEntry(new ZipEntry(entry));
        byte[] zeros = new byte[1 << 20];
        for (int i = 0; i < BOMB_BYTES; i += zeros.length) {
          zip.write(zeros);
        }
      }
      ownersOnly(file);
    };
  }

  /** An end record that promises 65,535 entries, and a directory where there is none. */
  private static HostileJar.Dropped endRecordOfManyEntries() {
    byte[] end = new byte[122];
    byte[] record = {'P', 'K', 5, 6, 0, 0, 0, 0, -1, -1, -1, -1, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    System.arraycopy(record, 0, end, 100, record.length);
    return bytes(end);
  }

  private static void ownersOnly(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }
}
