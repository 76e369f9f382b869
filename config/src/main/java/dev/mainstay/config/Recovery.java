package dev.mainstay.config;

import dev.mainstay.call.settings.CallSettings;
import dev.mainstay.call.settings.InFlight;
import dev.mainstay.core.guard.GuardSettings;
import dev.mainstay.core.recovery.Preset;
import dev.mainstay.core.settings.Setting;

/** How calls are carried out, and what guards targets and providers. */
public record Recovery(
    @Setting(
            value =
                "A name for the values below, each of which may be set besides. One that names a"
                    + " number of attempts makes as many at one target, time-outs included.",
            byDefault = "standard")
        Preset preset,
    @Setting(value = "The values themselves.", inline = true) CallSettings calls,
    @Setting(value = "What guards targets and providers.", inline = true) GuardSettings guards,
    @Setting("How many attempts may be under way.") InFlight inFlight) {

  Recovery withPreset(Preset value) {
    return new Recovery(value, calls.withPolicy(value.applyTo(calls.policy())), guards, inFlight);
  }
}
