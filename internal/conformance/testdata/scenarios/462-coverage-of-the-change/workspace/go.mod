module quay.test/tides

go 1.26
