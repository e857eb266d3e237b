"""Make the picture of docs/errors.md: the page of `corefscore diff --html` in a headless chromium.

    python scripts/update_pictures.py [KEY RESPONSE] [FOLDER]

Needs chromium, chromedriver and the package selenium; by default the fables of testdata/ become docs/diff-light.png.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

SIZE = {"width": 1280, "height": 620, "deviceScaleFactor": 1, "mobile": False}


def browser() -> Any:
    """A window of this size, with light colours."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for option in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(option)
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", SIZE)
    scheme = [{"name": "prefers-color-scheme", "value": "light"}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    return driver


def main(arguments: list[str]) -> None:
    """Write the page to a temporary folder, and its picture."""
    folder = Path(arguments.pop()) if len(arguments) % 2 else ROOT / "docs"
    fables = ROOT / "testdata" / "fables"
    sides = arguments or [str(fables / "key.conll"), str(fables / "response.conll")]
    with tempfile.TemporaryDirectory() as place:
        page = Path(place) / "page.html"
        command = Path(sys.executable).with_name("corefscore")
        subprocess.run([command, "diff", *sides, "--html", page, "--quiet"], check=True)
        driver = browser()
        driver.get(page.as_uri() + "#0")
        for key in ("n", "n"):
            driver.find_element("tag name", "body").send_keys(key)
        driver.save_screenshot(str(folder / "diff-light.png"))
        driver.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
